/** The BGP sessions with the carriers, and BFD where it is wanted. */
import type { NodeConfig } from '../../src/types/config.ts';
import { probeTableName, sessionName, tableName } from '../../src/types/protocol-names.ts';
import type { Family } from '../../src/types/units.ts';
import type { FileState } from '../file-states.ts';
import { block, quoted, section, statefulBlock } from './block.ts';
import { exportFilter } from './export-policy.ts';
import { importFunction } from './import-policy.ts';
import { allPrefixes, type Session, sessionsOf } from './parts.ts';

/** Routes that are taken from a carrier at most: its leak must not fill the memory, and not cost us the session either. */
const importLimit = { default: { 4: 10, 6: 10 }, full: { 4: 2_000_000, 6: 500_000 } } as const;

export function renderSessions(
  config: NodeConfig,
  stateOf: (name: string) => FileState,
  passwords: ReadonlyMap<string, string>,
): readonly string[] {
  const limits = { 4: exportLimit(config, 4), 6: exportLimit(config, 6) };
  const lines = sessionsOf(config).flatMap((session) => {
    const name = sessionName(session.uplink.name, session.family);
    const body = sessionBody(session, passwords.get(session.uplink.name), limits[session.family]);
    return statefulBlock(`protocol bgp ${name} from causeway_carrier`, stateOf(name), body);
  });
  return section(['sessions with the carriers'], [...bfd(config), ...template(), ...lines]);
}

function bfd(config: NodeConfig): readonly string[] {
  const interfaces = config.uplinks
    .filter((uplink) => uplink.peer.bfd && uplink.peer.multihop === null)
    .map((uplink) => quoted(uplink.interface, `uplinks.${uplink.name}.interface`));
  if (!config.uplinks.some((uplink) => uplink.peer.bfd)) return [];
  // 3 x 1 s: faster timers flap on virtual machines that stall.
  const timers = '{ interval 1 s; multiplier 3; }';
  return block('protocol bfd causeway_bfd', [
    ...(interfaces.length === 0 ? [] : [`interface ${interfaces.join(', ')} ${timers};`]),
    `multihop ${timers};`,
  ]);
}

function template(): readonly string[] {
  return block('template bgp causeway_carrier', [
    'local as CAUSEWAY_AS;',
    'enforce first as on;',
    'hold time 30; keepalive time 10;',
    'connect delay time 1; connect retry time 10; error wait time 2, 30;',
    "graceful restart aware;  # not on: a dead node must not stay in the carriers' tables",
  ]);
}

/** Twice the prefixes, because the old may go after the new have come; the filter lets no others pass anyway. */
function exportLimit(config: NodeConfig, family: Family): number {
  return Math.max(16, 2 * allPrefixes(config, family).length);
}

function sessionBody(
  session: Session,
  password: string | undefined,
  exportLimitRoutes: number,
): readonly string[] {
  const { uplink, family, neighbor, source } = session;
  const path = `uplinks.${uplink.name}`;
  return [
    `neighbor ${neighbor} as ${uplink.peer.asn};  # ${path}.peer`,
    `source address ${source};  # ${path}.source`,
    ...reach(session, path),
    ...(uplink.peer.bfd ? [`bfd on;  # ${path}.peer.bfd`] : []),
    ...passwordLines(session, password),
    `ipv${family} {`,
    ...channel(session, exportLimitRoutes).map((line) => `  ${line}`),
    '};',
  ];
}

/** A direct session is tied to its interface and its link; one over several hops finds next hops by the uplink's gateway. */
function reach({ uplink }: Session, path: string): readonly string[] {
  if (uplink.peer.multihop !== null) return [`multihop ${uplink.peer.multihop};  # ${path}.peer.multihop`];
  return [
    `interface ${quoted(uplink.interface, `${path}.interface`)};  # ${path}.interface`,
    'check link on;',
  ];
}

function passwordLines({ uplink }: Session, password: string | undefined): readonly string[] {
  const file = uplink.peer.passwordFile;
  if (file === null) return [];
  if (password === undefined)
    return [`# The password of ${JSON.stringify(file)} belongs here; it is not shown.`];
  const what = `the password of uplinks.${uplink.name}.peer.password_file`;
  if (password === '' || Buffer.byteLength(password) > 80)
    throw new RangeError(`${what} has to have 1 to 80 bytes (RFC 2385 and Linux)`);
  return [`password ${quoted(password, what)};  # uplinks.${uplink.name}.peer.password_file`];
}

function channel({ uplink, family }: Session, exportLimitRoutes: number): readonly string[] {
  const path = `uplinks.${uplink.name}`;
  const multihop = uplink.peer.multihop !== null;
  return [
    `table ${tableName(uplink.name, family)};`,
    ...(multihop ? [`igp table ${probeTableName(uplink.name, family)};`] : []),
    'next hop self;',
    ...importLines({ uplink, family }, path),
    `export filter ${exportFilter[family]};`,
    `export limit ${exportLimitRoutes} action block;`,
  ];
}

function importLines(
  { uplink, family }: Pick<Session, 'uplink' | 'family'>,
  path: string,
): readonly string[] {
  if (uplink.import === 'none') return [`import none;  # ${path}.import`];
  const full = uplink.import === 'full';
  return [
    `import filter { ${importFunction[family]}(${full}, ${uplink.localPref}); };  # ${path}.import, ${path}.local_pref`,
    `import limit ${importLimit[uplink.import][family]} action block;`,
  ];
}
