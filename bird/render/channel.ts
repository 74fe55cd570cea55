/** The channel of a session: what is learnt, what is exported, and how much of both at most. */
import { exportFilter } from './export-policy.ts';
import { importFunction } from './import-policy.ts';
import { isLinkLocal, type Session } from './parts.ts';

/** Routes that are taken from a carrier at most: its leak must not fill the memory, and not cost us the session either. */
const importLimit = { default: { 4: 10, 6: 10 }, full: { 4: 2_000_000, 6: 500_000 } } as const;

export interface ChannelPlace {
  readonly table: string;
  /** Where next hops of a session over several hops are looked up. */
  readonly igpTable: string;
  /** Configured prefixes of the family. */
  readonly prefixes: number;
  readonly rpki: boolean;
}

export function channelLines(session: Session, place: ChannelPlace): readonly string[] {
  const { uplink, family } = session;
  const path = `uplinks.${uplink.name}`;
  const { limits } = uplink.peer.session;
  // Twice the prefixes, because the old may go after the new have come; the filter lets no others pass anyway.
  const exportRoutes = limits.export ?? Math.max(16, 2 * place.prefixes);
  return [
    `table ${place.table};`,
    ...(uplink.peer.multihop === null ? [] : [`igp table ${place.igpTable};`]),
    ...nextHop(session),
    ...importLines(session, place.rpki),
    `export filter ${exportFilter[family]};`,
    `export limit ${exportRoutes} action ${limits.action};${limits.export === null ? '' : `  # ${path}.peer.limits`}`,
  ];
}

/** On a link-local session BIRD would send `::` as the global next hop, which some routers take at its word. */
function nextHop({ uplink, neighbor, source }: Session): readonly string[] {
  if (!isLinkLocal(neighbor)) return ['next hop self;'];
  return ['next hop self;', `next hop address ${source};  # uplinks.${uplink.name}.source`];
}

function importLines({ uplink, family }: Session, rpki: boolean): readonly string[] {
  const path = `uplinks.${uplink.name}`;
  const { limits } = uplink.peer.session;
  const receive =
    limits.receive === null
      ? []
      : [`receive limit ${limits.receive} action ${limits.action};  # ${path}.peer.limits`];
  if (uplink.import === 'none') return [`import none;  # ${path}.import`, ...receive];
  const full = uplink.import === 'full';
  const most = limits.import ?? importLimit[uplink.import][family];
  return [
    // What changes in the ROA tables is then checked here, without a route refresh that the carrier may not have.
    ...(rpki && full ? ['import table on;  # bird.rpki'] : []),
    `import filter { ${importFunction[family]}(${full}, ${uplink.localPref}); };  # ${path}.import, ${path}.local_pref`,
    ...receive,
    `import limit ${most} action ${limits.action};${limits.import === null ? '' : `  # ${path}.peer.limits`}`,
  ];
}
