/** The text of a carrier's bird.conf. It logs each route that it hears, which is the lab's witness of every UPDATE. */
import { families, type Family } from '../../src/types/units.ts';
import { nodeAsn, type CarrierPlan } from '../network/addresses.ts';

/** Begins the log lines of routes that came in an UPDATE; `wire-log.ts` reads them. */
export const heardMark = 'HEARD';

/** A node with which the carrier has a session in each family. */
export interface Neighbour {
  /** Begins the names of its sessions, and stands in the log: `node` in the lab with one node. */
  readonly name: string;
  readonly uplink: CarrierPlan;
}

/**
 * Announces the default route to each node, imports what comes, into the kernel too: of several nodes that are equally
 * good all of them.
 */
export function carrierConfig(
  plan: CarrierPlan,
  log: string,
  neighbours: readonly Neighbour[] = [{ name: loneName, uplink: plan }],
): string {
  const merge = neighbours.length > 1 ? 'merge paths on; ' : '';
  return `log "${log}" all;
router id ${plan.router[4]};
timeformat base iso long ms;
timeformat log iso long ms;
timeformat protocol iso long ms;
timeformat route iso long ms;

protocol device { scan time 10; }
protocol static default4 { ipv4; route 0.0.0.0/0 blackhole; }
protocol static default6 { ipv6; route ::/0 blackhole; }
protocol kernel kernel4 { scan time 20; ${merge}ipv4 { import none; export where source = RTS_BGP; }; }
protocol kernel kernel6 { scan time 20; ${merge}ipv6 { import none; export where source = RTS_BGP; }; }

# Imports everything: what the node must not announce would be seen here. Every route heard is written to the log.
${neighbours.map((neighbour) => heardFilter(neighbour)).join('\n')}
${neighbours.flatMap((neighbour) => families.map((family) => session(neighbour, family))).join('\n')}`;
}

/** The neighbour of the lab with one node. */
export const loneName = 'node';

/** Name of a carrier's session with a node: `node4`, `hk1_4`. */
export function carrierSession(family: Family, name: string = loneName): string {
  return `${name}${/\d$/.test(name) ? '_' : ''}${family}`;
}

function heardFilter({ name }: Neighbour): string {
  const mark = name === loneName ? heardMark : `${heardMark} ${name}`;
  return `filter heard_${name} {
  print "${mark} ", net, " med ", bgp_med, " path ", bgp_path, " communities ", bgp_community;
  accept;
}
`;
}

function session({ name, uplink: plan }: Neighbour, family: Family): string {
  return `protocol bgp ${carrierSession(family, name)} {
  local ${plan.router[family]} as ${plan.asn};
  neighbor ${plan.node[family]} as ${nodeAsn};
  debug { states, routes };
  connect delay time 1;
  connect retry time 2;
  error wait time 1, 4;
  ipv${family} { import filter heard_${name}; export where source = RTS_STATIC; };
}
`;
}
