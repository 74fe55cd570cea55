/**
 * The policy routing that makes each uplink's probes (and, with `egress: by-source`, its answers) leave by that uplink.
 * Pure: a plan from the config; `routing-text.ts` prints it, `routing-check.ts` compares it with the machine.
 *
 *     priority           rule                      for
 *     10000 + 2·n        from SOURCE lookup TABLE  sockets bound to the source
 *     10000 + 2·n + 1    oif INTERFACE lookup TABLE  sockets bound to the interface, whatever their source
 *
 *     20000 + m           from PREFIX lookup EGRESS_TABLE  answers of a service with `egress: by-source`
 *
 * n is the uplink's place in the config, from 0; m counts the prefixes of such services and, for each, the uplinks that the
 * service names, backups last. Both families use the same numbers in their own rule lists. They stand
 * between `local` (0) and `main` (32766), so that the machine's own addresses stay reachable and main never decides first.
 * In the table stands one default route through the uplink's gateway. BIRD puts it there (`k_<uplink>4|6`). In the egress
 * table stands what is learnt on the uplink, while egress by it is wished (`ek_<uplink>4|6`): an uplink that is avoided
 * leaves its table empty, and the answer is looked up by the next rule and at last in main.
 */
import type { NodeConfig, Service, Uplink } from '../types/config.ts';
import { families, type Family } from '../types/units.ts';

export const firstPriority = 10_000;
export const firstAnswerPriority = 20_000;

/**
 * The metric of routes added without BIRD. Larger than BIRD's own (0, for IPv6 32), so both can stand in a table, BIRD's
 * comes first, and this one takes over while BIRD is away.
 */
export const spareRouteMetric = 4096;

export type RuleMatch =
  | { readonly kind: 'from'; readonly source: string }
  | { readonly kind: 'oif'; readonly interface: string }
  /** Sources in a prefix of a service. */
  | { readonly kind: 'from-prefix'; readonly prefix: string; readonly service: string };

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
    rules: [
      ...config.uplinks.flatMap((uplink, index) =>
        families.flatMap((family) => uplinkRules(uplink, index, family)),
      ),
      ...answerRules(config),
    ],
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

/** One for each prefix and uplink of the services that answer by source. */
function answerRules({ services, uplinks }: NodeConfig): readonly Rule[] {
  const bound = services
    .filter((service) => service.egress === 'by-source')
    .flatMap((service) =>
      service.prefixes.flatMap((prefix) =>
        uplinksInTurn(service, uplinks).map((uplink) => ({ service, prefix, uplink })),
      ),
    );
  return bound.flatMap(({ service, prefix, uplink }, index): readonly Rule[] => {
    if (uplink.source[prefix.family] === undefined) return [];
    return [
      {
        uplink: uplink.name,
        family: prefix.family,
        priority: firstAnswerPriority + index,
        match: { kind: 'from-prefix', prefix: prefix.text, service: service.name },
        table: uplink.egressTable,
      },
    ];
  });
}

/** Those that the service names, in its order, the backups after the others. */
function uplinksInTurn(service: Service, uplinks: readonly Uplink[]): readonly Uplink[] {
  const named = [...service.uplinks].toSorted(
    ([, one], [, other]) => Number(one.state === 'backup') - Number(other.state === 'backup'),
  );
  return named.flatMap(([name]) => uplinks.find((uplink) => uplink.name === name) ?? []);
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
