/** The BGP sessions with the carriers: the template with what is usual, and in each session what is its own. */
import type { NodeConfig, Uplink } from '../../src/types/config.ts';
import { probeTableName, sessionName, tableName } from '../../src/types/protocol-names.ts';
import { defaultSession, type SessionOptions } from '../../src/types/session-options.ts';
import type { FileState } from '../file-states.ts';
import { authenticationLines } from './authentication.ts';
import { bfdLine, bfdProtocol } from './bfd.ts';
import { block, quoted, section, statefulBlock } from './block.ts';
import { channelLines } from './channel.ts';
import { allPrefixes, isLinkLocal, type Session, sessionsOf } from './parts.ts';

export function renderSessions(
  config: NodeConfig,
  stateOf: (name: string) => FileState,
  passwords: ReadonlyMap<string, string>,
): readonly string[] {
  const prefixes = { 4: allPrefixes(config, 4).length, 6: allPrefixes(config, 6).length };
  const lines = sessionsOf(config).flatMap((session) => {
    const { uplink, family } = session;
    const name = sessionName(uplink.name, family);
    return statefulBlock(`protocol bgp ${name} from causeway_carrier`, stateOf(name), [
      ...peerLines(session),
      ...optionLines(uplink),
      ...authenticationLines(session, passwords),
      `ipv${family} {`,
      ...channelLines(session, {
        table: tableName(uplink.name, family),
        igpTable: probeTableName(uplink.name, family),
        prefixes: prefixes[family],
        rpki: config.bird.rpki !== null,
      }).map((line) => `  ${line}`),
      '};',
    ]);
  });
  return section(['sessions with the carriers'], [...bfdProtocol(config.uplinks), ...template(), ...lines]);
}

function template(): readonly string[] {
  const { holdSeconds, keepaliveSeconds } = defaultSession;
  return block('template bgp causeway_carrier', [
    'local as CAUSEWAY_AS;',
    'enforce first as on;',
    `hold time ${holdSeconds}; keepalive time ${keepaliveSeconds};`,
    'connect delay time 1; connect retry time 10; error wait time 2, 30;',
    "graceful restart aware;  # not on: a dead node must not stay in the carriers' tables",
  ]);
}

function peerLines({ uplink, neighbor, source }: Session): readonly string[] {
  const path = `uplinks.${uplink.name}`;
  const { multihop } = uplink.peer;
  // The carrier knows a link-local session by our link-local address, which BIRD finds on the interface.
  const from = isLinkLocal(neighbor) ? [] : [`source address ${source};  # ${path}.source`];
  // A direct session is tied to its interface and its link; one over several hops finds next hops by the uplink's gateway.
  const reach =
    multihop === null
      ? [`interface ${quoted(uplink.interface, `${path}.interface`)};  # ${path}.interface`, 'check link on;']
      : [`multihop ${multihop};  # ${path}.peer.multihop`];
  return [
    `neighbor ${neighbor} as ${uplink.peer.asn};  # ${path}.peer`,
    ...from,
    ...reach,
    ...bfdLine(uplink),
  ];
}

/** What differs from the template. */
function optionLines(uplink: Uplink): readonly string[] {
  const { session } = uplink.peer;
  const path = `uplinks.${uplink.name}.peer`;
  const lines: string[] = [];
  if (isOther(session, 'holdSeconds')) lines.push(`hold time ${session.holdSeconds};  # ${path}.hold`);
  if (isOther(session, 'keepaliveSeconds') || isOther(session, 'holdSeconds'))
    lines.push(`keepalive time ${session.keepaliveSeconds};  # ${path}.keepalive`);
  if (session.role !== 'none') lines.push(`local role ${session.role};  # ${path}.role, RFC 9234`);
  if (session.ttlSecurity) lines.push(`ttl security on;  # ${path}.ttl_security, RFC 5082`);
  if (!session.enforceFirstAs) lines.push(`enforce first as off;  # ${path}.enforce_first_as`);
  if (isOther(session, 'gracefulRestart'))
    lines.push(`graceful restart ${session.gracefulRestart};  # ${path}.graceful_restart`);
  return lines;
}

function isOther(session: SessionOptions, key: keyof SessionOptions): boolean {
  return session[key] !== defaultSession[key];
}
