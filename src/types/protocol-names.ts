/** Names of BIRD's protocols and tables, which runbooks rely on. Uplinks and services match `[a-z][a-z0-9]{0,14}`. */
import type { Family } from './units.ts';

export function sessionName(uplink: string, family: Family): string {
  return `bgp_${uplink}${family}`;
}

export function announceName(uplink: string, service: string, family: Family): string {
  return `announce_${uplink}_${service}${family}`;
}

export function drainName(uplink: string, service: string, family: Family): string {
  return `drain_${uplink}_${service}${family}`;
}

export function learnName(uplink: string, family: Family): string {
  return `learn_${uplink}${family}`;
}

export function kernelName(uplink: string, family: Family): string {
  return `k_${uplink}${family}`;
}

export function tableName(uplink: string, family: Family): string {
  return `t_${uplink}${family}`;
}

/** Table of the route that probes take, which stands whether the session does or not. */
export function probeTableName(uplink: string, family: Family): string {
  return `p_${uplink}${family}`;
}

/** Static protocol that holds the default by the uplink's gateway in that table. */
export function probeName(uplink: string, family: Family): string {
  return `probe_${uplink}${family}`;
}

/**
 * Table between t_ and master of an uplink by which answers leave by source: `learn_` fills it, so that answers follow the
 * wish as the rest of egress does.
 */
export function egressTableName(uplink: string, family: Family): string {
  return `e_${uplink}${family}`;
}

/** Pipe from that table into master. */
export function egressPipeName(uplink: string, family: Family): string {
  return `egress_${uplink}${family}`;
}

/** Kernel protocol that copies that table to `egress_table`. */
export function egressKernelName(uplink: string, family: Family): string {
  return `ek_${uplink}${family}`;
}

/** Begins every reason that Causeway gives to `birdc disable` and `enable`; anything else is somebody's hand. */
export const ownMessagePrefix = 'causeway: ';
