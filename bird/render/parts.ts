/** What the config says, as the protocols that follow from it: sessions and announcements, in the order of the config. */
import type { NodeConfig, Service, Uplink } from '../../src/types/config.ts';
import type { Community } from '../../src/types/community.ts';
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
  const known = allOf[family].get(config);
  if (known !== undefined) return known;
  const all = [...new Set(config.services.flatMap((service) => prefixesOf(service, family)))];
  allOf[family].set(config, all);
  return all;
}

/** What is set on the routes of an announcement in one state. */
export interface Marks {
  readonly med: number;
  readonly prepend: number;
  readonly gshut: boolean;
  readonly communities: readonly Community[];
}

/** Of the announced state: the service's own values on this uplink, else the uplink's. */
export function announceMarks({ uplink, service }: Announcement): Marks {
  const own = service.uplinks.get(uplink.name);
  return {
    med: own?.med ?? uplink.med,
    prepend: own?.prepend ?? uplink.prepend,
    gshut: false,
    communities: own?.communities ?? uplink.communities,
  };
}

/** Of the drained state: `policy.drain`, with the communities by which this carrier lowers its preference. */
export function drainMarks(config: NodeConfig, { uplink, service }: Announcement): Marks {
  const own = service.uplinks.get(uplink.name);
  return { ...config.policy.drain, communities: own?.drainCommunities ?? uplink.drainCommunities };
}

/** Sessions of the uplinks by which some service answers by source, with those that learn nothing left out. */
export function egressSessionsOf(config: NodeConfig): readonly Session[] {
  const named = new Set(
    config.services.flatMap((service) => (service.egress === 'by-source' ? [...service.uplinks.keys()] : [])),
  );
  return sessionsOf(config).filter(({ uplink }) => named.has(uplink.name) && uplink.import !== 'none');
}

/** Of fe80::/10 (RFC 4291 2.5.6); the address is canonical text. */
export function isLinkLocal(address: string): boolean {
  return /^fe[89ab][0-9a-f]:/.test(address);
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
  const known = ofService[family].get(service);
  if (known !== undefined) return known;
  const own = service.prefixes.filter((prefix) => prefix.family === family).map((prefix) => prefix.text);
  ofService[family].set(service, own);
  return own;
}

/** Each section asks for the prefixes, and there may be ten thousand. Configs never change. */
const allOf = {
  4: new WeakMap<NodeConfig, readonly string[]>(),
  6: new WeakMap<NodeConfig, readonly string[]>(),
};
const ofService = {
  4: new WeakMap<Service, readonly string[]>(),
  6: new WeakMap<Service, readonly string[]>(),
};
