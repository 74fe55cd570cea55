/** The text of a carrier's bird.conf. It logs each route that it hears, which is the lab's witness of every UPDATE. */
import { families, type Family } from '../../src/types/units.ts';
import { nodeAsn, type CarrierPlan } from '../network/addresses.ts';

/** Begins the log lines of routes that came in an UPDATE; `wire-log.ts` reads them. */
export const heardMark = 'HEARD';

/** One BGP session for each family to the node; announces the default route, imports what comes, into the kernel too. */
export function carrierConfig(plan: CarrierPlan, log: string): string {
  return `log "${log}" all;
router id ${plan.router[4]};
timeformat base iso long ms;
timeformat log iso long ms;
timeformat protocol iso long ms;
timeformat route iso long ms;

protocol device { scan time 10; }
protocol static default4 { ipv4; route 0.0.0.0/0 blackhole; }
protocol static default6 { ipv6; route ::/0 blackhole; }
protocol kernel kernel4 { scan time 20; ipv4 { import none; export where source = RTS_BGP; }; }
protocol kernel kernel6 { scan time 20; ipv6 { import none; export where source = RTS_BGP; }; }

# Imports everything: what the node must not announce would be seen here. Every route heard is written to the log.
filter heard {
  print "${heardMark} ", net, " med ", bgp_med, " path ", bgp_path, " communities ", bgp_community;
  accept;
}

${families.map((family) => session(plan, family)).join('\n')}`;
}

/** Name of a carrier's session with the node. */
export function carrierSession(family: Family): string {
  return `node${family}`;
}

function session(plan: CarrierPlan, family: Family): string {
  return `protocol bgp ${carrierSession(family)} {
  local ${plan.router[family]} as ${plan.asn};
  neighbor ${plan.node[family]} as ${nodeAsn};
  debug { states, routes };
  connect delay time 1;
  connect retry time 2;
  error wait time 1, 4;
  ipv${family} { import filter heard; export where source = RTS_STATIC; };
}
`;
}
