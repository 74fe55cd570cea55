/** What an owned text says, in the pieces that a diff and a rehearsal work on. Pure. */
import { type Statement, statementsOf } from './statements.ts';

/** An option's value as it stands in the text, by its words: `hold time` → `30`. */
export type Options = ReadonlyMap<string, string>;

export interface SessionText {
  readonly name: string;
  readonly family: 4 | 6;
  /** Table of its channel. */
  readonly table: string;
  /** Of the session, those of its template among them. */
  readonly options: Options;
  /** Of its channel. */
  readonly channel: Options;
}

export interface BirdText {
  /** `router id`; null: in another file. */
  readonly routerId: string | null;
  readonly sessions: ReadonlyMap<string, SessionText>;
  /** Bodies of functions, filters and constants by name. */
  readonly definitions: ReadonlyMap<string, string>;
  /** All protocols but sessions, by name: the text with its states. */
  readonly protocols: ReadonlyMap<string, string>;
  /** Everything, in order. */
  readonly statements: readonly Statement[];
}

/** Reads an owned text. Whatever is unknown in it is kept in `statements`. */
export function readText(text: string): BirdText {
  const statements = statementsOf(text);
  const templates = new Map<string, readonly Statement[]>();
  const sessions = new Map<string, SessionText>();
  const definitions = new Map<string, string>();
  const protocols = new Map<string, string>();
  let routerId: string | null = null;
  for (const one of statements) {
    const template = /^template bgp (\w+)$/.exec(one.head)?.[1];
    if (template !== undefined) templates.set(template, statementsOf(one.body ?? ''));
    const [, kind, name = '', from] = /^protocol (\w+) (\w+)(?: from (\w+))?$/.exec(one.head) ?? [];
    if (kind === 'bgp') sessions.set(name, sessionOf(name, one, templates.get(from ?? '') ?? []));
    else if (kind !== undefined) protocols.set(name, one.text);
    const defined = /^(?:define|function|filter) (\w+)/.exec(one.text)?.[1];
    if (defined !== undefined) definitions.set(defined, one.text);
    routerId = /^router id (.+)$/.exec(one.text)?.[1] ?? routerId;
  }
  return { routerId, sessions, definitions, protocols, statements };
}

function sessionOf(name: string, protocol: Statement, template: readonly Statement[]): SessionText {
  const own = statementsOf(protocol.body ?? '');
  const both = [...template, ...own];
  const channel = both.findLast(({ head }) => /^ipv[46]$/.test(head));
  const channelOptions = optionsOf(statementsOf(channel?.body ?? ''));
  return {
    name,
    family: channel?.head === 'ipv6' ? 6 : 4,
    table: channelOptions.get('table') ?? `master${channel?.head === 'ipv6' ? 6 : 4}`,
    options: optionsOf(both.filter((one) => one !== channel && !/^ipv[46]$/.test(one.head))),
    channel: channelOptions,
  };
}

function optionsOf(statements: readonly Statement[]): Options {
  return new Map(statements.map(({ text }) => optionOf(text)));
}

/** Options whose value is more than their last word. */
const names = [
  'import limit',
  'receive limit',
  'export limit',
  'import table',
  'export table',
  'import keep filtered',
  'import',
  'export',
  'neighbor',
  'local role',
  'local as',
  'local',
  'password',
  'keys',
  'description',
  'interface',
  'error wait time',
  'hold time',
  'keepalive time',
  'connect delay time',
  'connect retry time',
  'startup hold time',
  'source address',
  'igp table',
  'bfd',
];

function optionOf(text: string): readonly [string, string] {
  const named = names.find((name) => text === name || text.startsWith(`${name} `));
  if (named !== undefined) return [named, text.slice(named.length).trim()];
  const words = text.split(' ');
  return words.length === 1 ? [text, 'on'] : [words.slice(0, -1).join(' '), words.at(-1) ?? ''];
}
