/** The peer of an uplink and the uplinks of a service in the file's form, every default written out. */
import type { Peer, ServiceUplink } from '../types/config.ts';
import { type Community, communityText } from '../types/community.ts';
import { families } from '../types/units.ts';
import { formatDuration } from './quantities.ts';

type Plain = Readonly<Record<string, unknown>>;

export function peerForm(peer: Peer): Plain {
  const { session } = peer;
  const { limits } = session;
  return {
    asn: peer.asn,
    address: families.flatMap((family) => peer.address[family] ?? []),
    ...(peer.passwordFile === null ? {} : { password_file: peer.passwordFile }),
    ...(session.aoKeys.length === 0
      ? {}
      : {
          ao_keys: session.aoKeys.map((key) => ({
            id: key.id,
            secret_file: key.secretFile,
            algorithm: key.algorithm,
          })),
        }),
    ...(peer.multihop === null ? {} : { multihop: peer.multihop }),
    ttl_security: session.ttlSecurity,
    hold: formatDuration(session.holdSeconds * 1000),
    keepalive: formatDuration(session.keepaliveSeconds * 1000),
    role: session.role,
    enforce_first_as: session.enforceFirstAs,
    graceful_restart: session.gracefulRestart,
    limits: {
      ...given({ receive: limits.receive, import: limits.import, export: limits.export }),
      action: limits.action,
    },
    bfd: peer.bfd,
    bfd_interval: formatDuration(session.bfdIntervalMillis),
    bfd_multiplier: session.bfdMultiplier,
  };
}

export function serviceUplinksForm(uplinks: ReadonlyMap<string, ServiceUplink>): Plain {
  return Object.fromEntries(
    [...uplinks].map(([name, one]) => [
      name,
      {
        state: one.state,
        ...given({ med: one.med, prepend: one.prepend }),
        ...(one.communities === null ? {} : { communities: communitiesForm(one.communities) }),
        ...(one.drainCommunities === null
          ? {}
          : { drain_communities: communitiesForm(one.drainCommunities) }),
      },
    ]),
  );
}

export function communitiesForm(communities: readonly Community[]): readonly string[] {
  return communities.map((community) => communityText(community));
}

/** Those that are not null. */
function given(values: Readonly<Record<string, number | null>>): Plain {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}
