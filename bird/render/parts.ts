/** What the config says, as the protocols that follow from it: sessions and announcements, in the order of the config. */
import type { NodeConfig, Service, Uplink } from '../../src/types/config.ts';
import { announceName, drainName, learnName, sessionName } from '../../src/types/protocol-names.ts';
import { type Family, families } from '../../src/types/units.ts';
import type { FileState, FileStates } from '../file-states.ts';

/** One BGP session: an uplink in one family. */
export interface Session {
  readonly uplink: Uplink;
  readonly family: Family;
  readonly neighbor: string;
  readonly source: string;
  readonly gateway: string;
}

/** One service on one uplink in one family. */
export interface Announcement {
  readonly uplink: Uplink;
  readonly service: Service;
  readonly family: Family;
  readonly prefixes: readonly string[];
}

/** The sessions of all uplinks, in each family that has a peer. RangeError where its source is missing. */
export function sessionsOf(config: NodeConfig): readonly Session[] {
  return config.uplinks.flatMap((uplink) =>
    families.flatMap((family) => {
      const neighbor = uplink.peer.address[family];
      if (neighbor === undefined) return [];
      const source = uplink.source[family];
      if (source === undefined)
        throw new RangeError(`uplinks.${uplink.name}.source has no IPv${family} address for its peer`);
      return [{ uplink, family, neighbor, source, gateway: uplink.gateway[family] ?? neighbor }];
    }),
  );
}

/** What is announced where: a service without prefixes of a family has no announcement in it. */
export function announcementsOf(config: NodeConfig): readonly Announcement[] {
  return sessionsOf(config).flatMap(({ uplink, family }) =>
    config.services.flatMap((service) => {
      const prefixes = prefixesOf(service, family);
      return prefixes.length === 0 ? [] : [{ uplink, service, family, prefixes }];
    }),
  );
}

/** All configured prefixes of a family, each once. */
export function allPrefixes(config: NodeConfig, family: Family): readonly string[] {
  return [...new Set(config.services.flatMap((service) => prefixesOf(service, family)))];
}

/** The states where nothing is known: everything announced, nothing drained, everything learnt, all sessions up. */
export function defaultStates(config: NodeConfig): FileStates {
  const states = new Map<string, FileState>();
  for (const { uplink, service, family } of announcementsOf(config)) {
    states.set(announceName(uplink.name, service.name, family), {
      disabled: false,
      description: 'announced',
    });
    states.set(drainName(uplink.name, service.name, family), { disabled: true, description: 'not drained' });
  }
  for (const { uplink, family } of sessionsOf(config)) {
    const description = `${uplink.carrier} AS${uplink.peer.asn} IPv${family}`;
    states.set(sessionName(uplink.name, family), { disabled: false, description });
  }
  for (const { uplink, family } of sessionsOf(config))
    states.set(learnName(uplink.name, family), { disabled: false, description: 'learnt routes in use' });
  return states;
}

function prefixesOf(service: Service, family: Family): readonly string[] {
  return service.prefixes.filter((prefix) => prefix.family === family).map((prefix) => prefix.text);
}
