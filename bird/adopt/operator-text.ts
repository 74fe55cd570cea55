/**
 * Changes of the operator's own bird.conf that `causeway migrate` makes: a session that is drained, a session that is taken
 * out, our file that is included. Each gives a new text or says why it cannot; `bird -p` judges what comes of it. Pure.
 */
import type { Family } from '../../src/types/units.ts';
import type { Adopted } from '../adopt.ts';
import { type Block, findBlock, insideBraces, maskText, replaceSpans, type Span } from './masked-text.ts';

export type Changed =
  | { readonly kind: 'changed'; readonly text: string }
  | { readonly kind: 'cannot'; readonly why: string };

export interface DrainMarks {
  readonly asn: number;
  readonly med: number;
  readonly prepend: number;
  readonly gshut: boolean;
}

/** Every adopted session exports what it exported, but drained: the marks come before what its filter does. */
export function drainSessions(text: string, adopted: readonly Adopted[], marks: DrainMarks): Changed {
  const masked = maskText(text);
  const changes: (Span & { readonly by: string })[] = [];
  for (const { name, family } of adopted) {
    const block = findBlock(masked, String.raw`protocol\s+bgp`, name);
    if (block === null) return notFound(name);
    const clause = exportClause(masked, block, family);
    if (clause === null)
      return {
        kind: 'cannot',
        why: `${name} has no \`export\` of its own in an ipv${family} block, nor has its template`,
      };
    const by = drainedClause(text, masked, clause.clause, marks);
    if (by === null)
      return { kind: 'cannot', why: `the \`export\` of ${name} is of no known form or names no filter here` };
    // A template's clause serves other sessions too, so the session gets one of its own behind it.
    changes.push(
      clause.isOwn
        ? { ...clause.clause, by }
        : { start: clause.insertAt, end: clause.insertAt, by: ` ${by} ` },
    );
  }
  return { kind: 'changed', text: replaceSpans(text, changes) };
}

/** Every adopted session as comment lines. */
export function takeOut(text: string, adopted: readonly Adopted[]): Changed {
  const masked = maskText(text);
  const changes: (Span & { readonly by: string })[] = [];
  for (const { name, uplink, family } of adopted) {
    const block = findBlock(masked, String.raw`protocol\s+bgp`, name);
    if (block === null) return notFound(name);
    const { start, end } = block.whole;
    const lines = text.slice(start, end).split('\n');
    const head = `# Taken over by Causeway as bgp_${uplink}${family}:`;
    changes.push({ start, end, by: `${[head, ...lines.map((line) => `# ${line}`)].join('\n')}\n` });
  }
  return { kind: 'changed', text: replaceSpans(text, changes) };
}

/** With the line that includes the owned file, at the end, if no line does so yet. */
export function includeOwned(text: string, path: string): string {
  const included = text
    .split('\n')
    .some((line) => new RegExp(String.raw`^\s*include\s+"`).test(line) && line.includes(`"${path}"`));
  if (included) return text;
  const ended = text.endsWith('\n') ? text : `${text}\n`;
  return `${ended}\n# Causeway's own file, which it writes anew.\ninclude "${path}";\n`;
}

function notFound(name: string): Changed {
  return {
    kind: 'cannot',
    why: `there is no single block \`protocol bgp ${name} … { … }\`; a block in an included file has to be moved into this one`,
  };
}

interface Clause {
  readonly clause: Span;
  readonly isOwn: boolean;
  /** Where a clause of the session's own can stand, at the end of its channel. */
  readonly insertAt: number;
}

function exportClause(masked: string, block: Block, family: Family): Clause | null {
  const channel = channelIn(masked, block.body, family);
  if (channel === null) return null;
  const own = exportIn(masked, channel);
  if (own !== null) return { clause: own, isOwn: true, insertAt: channel.end };
  const template = /\bfrom\s+'?([\w.:-]+)'?/.exec(block.rest)?.[1];
  const base = template === undefined ? null : findBlock(masked, String.raw`template\s+bgp`, template);
  const theirs = base === null ? null : channelIn(masked, base.body, family);
  const inherited = theirs === null ? null : exportIn(masked, theirs);
  return inherited === null ? null : { clause: inherited, isOwn: false, insertAt: channel.end };
}

/** Inside of `ipv4 { … }`. */
function channelIn(masked: string, body: Span, family: Family): Span | null {
  const text = masked.slice(body.start, body.end);
  const match = new RegExp(String.raw`(?<![\w.])ipv${family}\s*\{`).exec(text);
  return match === null ? null : insideBraces(masked, body.start + match.index + match[0].length - 1);
}

/** `export …;` of a channel, with its semicolon. `export limit` and `export table` are others. */
function exportIn(masked: string, channel: Span): Span | null {
  const text = masked.slice(channel.start, channel.end);
  const match = /(?<![\w.])export\s+(?!limit\b|table\b|block\b)/.exec(text);
  if (match === null) return null;
  const start = channel.start + match.index;
  let depth = 0;
  for (let at = start; at < channel.end; at += 1) {
    if (masked[at] === '{') depth += 1;
    if (masked[at] === '}') depth -= 1;
    if (depth === 0 && masked[at] === ';') return { start, end: at + 1 };
  }
  return null;
}

function drainedClause(text: string, masked: string, clause: Span, marks: DrainMarks): string | null {
  const said = text.slice(clause.start, clause.end);
  const set = marksText(marks);
  const where = /^export\s+where\s+([\s\S]+);$/.exec(said)?.[1];
  if (where !== undefined) return `export filter { if ${where} then { ${set} accept; } reject; };`;
  if (/^export\s+all\s*;$/.test(said)) return `export filter { ${set} accept; };`;
  const open = said.indexOf('{');
  if (/^export\s+filter\s*\{/.test(said) && open !== -1) {
    const body = insideBraces(masked, clause.start + open);
    return body === null ? null : `export filter { ${set} ${text.slice(body.start, body.end)} };`;
  }
  const named = /^export\s+filter\s+'?([\w.:-]+)'?\s*;$/.exec(said)?.[1];
  const filter = named === undefined ? null : findBlock(masked, 'filter', named);
  return filter === null
    ? null
    : `export filter { ${set} ${text.slice(filter.body.start, filter.body.end)} };`;
}

function marksText({ asn, med, prepend, gshut }: DrainMarks): string {
  return [
    `bgp_med = ${med};`,
    ...Array.from({ length: prepend }, () => `bgp_path.prepend(${asn});`),
    ...(gshut ? ['bgp_community.add((65535, 0));'] : []),
  ].join(' ');
}
