/**
 * The reply to `show protocols all`. A row (code 1002) begins a protocol, details (1006) belong to the row before.
 * Text that others chose (description, message, a peer's shutdown text) fills the rest of its own line and is never
 * searched: fields are known by the code, their exact indent, the section they stand in and their order.
 */
import type { ChannelSeen, ProtocolSeen, ProtocolState } from '../../src/types/bird-view.ts';
import type { Reply, ReplyLine } from '../codec.ts';
import { parseChannels } from './channels.ts';
import { type BirdTime, readSince, splitTime } from './time.ts';

const states: readonly ProtocolState[] = ['up', 'down', 'start', 'stop', 'flush'];
const bgpStates = /\b(Idle|Connect|Active|OpenSent|OpenConfirm|Established|Close|Down|Passive)\b/;

/**
 * All protocols by name; null if it is no whole and sound reply: wrong codes, a row that cannot be read, a name twice.
 * `now` is the server time of the same BIRD.
 */
export function parseProtocols(reply: Reply, now: BirdTime | null): ReadonlyMap<string, ProtocolSeen> | null {
  if (reply.code !== '0000' || reply.lines[0]?.code !== '2002') return null;
  if (reply.lines.at(-1)?.text !== '') return null;
  const protocols = new Map<string, ProtocolSeen>();
  for (const block of blocks(reply.lines.slice(1, -1)) ?? [null]) {
    const protocol = block === null ? null : parseBlock(block, now);
    if (protocol === null || protocols.has(protocol.name)) return null;
    protocols.set(protocol.name, protocol);
  }
  return protocols;
}

interface Block {
  readonly row: string;
  /** Texts of the details; null for a line that was too long for BIRD to send. */
  readonly details: (string | null)[];
}

function blocks(lines: readonly ReplyLine[]): readonly Block[] | null {
  const found: Block[] = [];
  for (const { code, text } of lines) {
    const block = found.at(-1);
    if (code === '1002') found.push({ row: text, details: [] });
    else if (block === undefined) return null;
    else if (code === '1006') block.details.push(text);
    else if (code === '8000') block.details.push(null);
    else return null;
  }
  return found;
}

function parseBlock(block: Block, now: BirdTime | null): ProtocolSeen | null {
  const row = parseRow(block.row);
  // BIRD ends the details of each protocol with an empty line: where it is missing, something was lost.
  if (row === null || block.details.at(-1) !== '') return null;
  const channels: readonly ChannelSeen[] | null = parseChannels(block.details);
  if (channels === null) return null;
  const state = states.find((one) => one === row.state) ?? 'unknown';
  return {
    name: row.name,
    proto: row.proto,
    state,
    ...(state === 'unknown' ? { raw: block.row } : {}),
    sinceMillis: readSince(row.since, now),
    info: row.proto === 'BGP' ? (bgpStates.exec(row.info)?.[0] ?? row.info) : row.info,
    ...lossOf(row),
    ...parseTexts(block.details),
    channels,
  };
}

const losses: ReadonlyMap<string, NonNullable<ProtocolSeen['lostBy']>> = new Map([
  ['Error: BFD session down', 'bfd'],
  ['BGP Error: Hold timer expired', 'hold-timer'],
  ['Error: Link down', 'link'],
  ['Error: Neighbor lost', 'link'],
]);

/** BIRD's own last error, which stands behind the state (`bgp_get_status`); what a neighbour sends has another beginning. */
function lossOf({ proto, info }: Row): Pick<ProtocolSeen, 'lostBy'> {
  if (proto !== 'BGP') return {};
  const [, error] = /^\S+\s+(\S.*)$/.exec(info) ?? [];
  const lostBy = error === undefined ? undefined : losses.get(error);
  return lostBy === undefined ? {} : { lostBy };
}

interface Row {
  readonly name: string;
  readonly proto: string;
  readonly state: string;
  readonly since: string;
  readonly info: string;
}

/** Columns are as wide as their words: name, protocol, table and state are words; then comes a time of any form. */
function parseRow(text: string): Row | null {
  const match = /^(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S.*)$/.exec(text);
  if (match === null) return null;
  const [, name = '', proto = '', , state = '', behind = ''] = match;
  const known = splitTime(behind);
  if (known !== null) return { name, proto, state, since: known.time, info: known.rest };
  // An unknown form: BIRD writes two spaces behind the time.
  const gap = behind.search(/\s{2,}/);
  const info = gap === -1 ? '' : behind.slice(gap).trim();
  return { name, proto, state, since: gap === -1 ? behind : behind.slice(0, gap), info };
}

/** Description and message stand first, in this order, before anything else of the protocol. */
function parseTexts(details: readonly (string | null)[]): {
  readonly description: string | null;
  readonly message: string | null;
} {
  let at = 0;
  const take = (label: string): string | null => {
    const text = details[at]?.match(/^ {2}(\w+): +(.*)$/s);
    if (text?.[1] !== label) return null;
    at += 1;
    return text[2] ?? null;
  };
  const description = take('Description');
  // Where BIRD could not send the description for its length, the message still follows.
  if (description === null && details[at] === null) at += 1;
  return { description, message: take('Message') };
}
