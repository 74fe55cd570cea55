/** The peer of an uplink with the options of its session, from the file's form. */
import type { Peer } from '../types/config.ts';
import type { SessionOptions } from '../types/session-options.ts';
import type { PerFamily } from '../types/units.ts';
import type { ConfigFile } from './schema/root.ts';

type PeerFile = ConfigFile['uplinks'][string]['peer'];

/** `address` is that of the file, as text. */
export function resolvePeer(peer: PeerFile, address: PerFamily<string>): Peer {
  return {
    asn: peer.asn,
    address,
    passwordFile: peer.password_file ?? null,
    multihop: peer.multihop ?? null,
    bfd: peer.bfd,
    session: resolveSession(peer),
  };
}

function resolveSession(peer: PeerFile): SessionOptions {
  const { limits } = peer;
  return {
    holdSeconds: peer.hold,
    keepaliveSeconds: peer.keepalive ?? Math.max(1, Math.floor(peer.hold / 3)),
    role: peer.role,
    ttlSecurity: peer.ttl_security,
    enforceFirstAs: peer.enforce_first_as,
    gracefulRestart: peer.graceful_restart,
    limits: {
      receive: limits.receive ?? null,
      import: limits.import ?? null,
      export: limits.export ?? null,
      action: limits.action,
    },
    bfdIntervalMillis: peer.bfd_interval,
    bfdMultiplier: peer.bfd_multiplier,
    aoKeys: peer.ao_keys.map((key) => ({
      id: key.id,
      secretFile: key.secret_file,
      algorithm: key.algorithm,
    })),
  };
}
