/**
 * The policy routing that makes each uplink's probes (and, with `egress: by-source`, its answers) leave by that uplink.
 * Pure: a plan from the config; `routing-text.ts` prints it, `routing-check.ts` compares it with the machine.
 *
 *     priority           rule                      for
 *     10000 + 2·n        from SOURCE lookup TABLE  sockets bound to the source
 *     10000 + 2·n + 1    oif INTERFACE lookup TABLE  sockets bound to the interface, whatever their source
 *
 * n is the uplink's place in the config, from 0; both families use the same numbers in their own rule lists. They stand
 * between `local` (0) and `main` (32766), so that the machine's own addresses stay reachable and main never decides first.
 * In the table stands one default route through the uplink's gateway. BIRD puts it there (`k_<uplink>4|6`).
 */
import type { NodeConfig, Uplink } from '../types/config.ts';
import { families, type Family } from '../types/units.ts';

export const firstPriority = 10_000;

/**
 * The metric of routes added without BIRD. Larger than BIRD's own (0, for IPv6 32), so both can stand in a table, BIRD's
 * comes first, and this one takes over while BIRD is away.
 */
export const spareRouteMetric = 4096;

export type RuleMatch =
  | { readonly kind: 'from'; readonly source: string }
  | { readonly kind: 'oif'; readonly interface: string };

export interface Rule {
  readonly uplink: string;
  readonly family: Family;
  readonly priority: number;
  readonly match: RuleMatch;
  readonly table: number;
}

export interface ProbeRoute {
  readonly uplink: string;
  readonly family: Family;
  readonly gateway: string;
  readonly interface: string;
  readonly table: number;
  readonly metric: number;
}

export interface Sysctl {
  readonly key: string;
  readonly value: string;
  /** Why it must be so, one sentence. */
  readonly why: string;
}

export interface RoutingPlan {
  readonly rules: readonly Rule[];
  /** Only needed before BIRD runs; printed with `--with-routes`. */
  readonly routes: readonly ProbeRoute[];
  readonly sysctls: readonly Sysctl[];
}

/** The whole plan of a node, in the order of the config, IPv4 before IPv6. */
export function routingPlan(config: NodeConfig): RoutingPlan {
  return {
    rules: config.uplinks.flatMap((uplink, index) =>
      families.flatMap((family) => uplinkRules(uplink, index, family)),
    ),
    routes: config.uplinks.flatMap((uplink) => families.flatMap((family) => uplinkRoute(uplink, family))),
    sysctls: [...config.uplinks.map(looseFilter), pingSockets],
  };
}

function uplinkRules(uplink: Uplink, index: number, family: Family): readonly Rule[] {
  const source = uplink.source[family];
  if (source === undefined) return [];
  const priority = firstPriority + 2 * index;
  const shared = { uplink: uplink.name, family, table: uplink.table };
  return [
    { ...shared, priority, match: { kind: 'from', source } },
    { ...shared, priority: priority + 1, match: { kind: 'oif', interface: uplink.interface } },
  ];
}

function uplinkRoute(uplink: Uplink, family: Family): readonly ProbeRoute[] {
  const gateway = uplink.gateway[family];
  if (gateway === undefined || uplink.source[family] === undefined) return [];
  return [
    {
      uplink: uplink.name,
      family,
      gateway,
      interface: uplink.interface,
      table: uplink.table,
      metric: spareRouteMetric,
    },
  ];
}

/** RFC 3704 2.4: loose mode drops only what no route could have sent; strict mode drops all that main sends elsewhere. */
function looseFilter(uplink: Uplink): Sysctl {
  return {
    key: `net.ipv4.conf.${uplink.interface.replaceAll('.', '/')}.rp_filter`,
    value: '2',
    why: `strict reverse-path filtering would drop answers that come in on ${uplink.interface} while main points elsewhere`,
  };
}

const pingSockets: Sysctl = {
  key: 'net.ipv4.ping_group_range',
  value: '0 2147483647',
  why: 'the prober opens ICMP datagram sockets without privileges; the kernel default "1 0" refuses even root',
};
