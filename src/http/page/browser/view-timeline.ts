/** What happened, the newest first: who, what, why, the figures behind it, and the command that overrules it. */
import type { HistoryEntry } from '../../../types/wire/history.ts';
import { h, type Child } from './element.ts';
import { clock, milliseconds, percent } from './format.ts';
import type { ChartMark } from './chart-options.ts';
import { mark } from './mark.ts';
import { toneOf } from './tone.ts';
import type { Filter, Model } from './model.ts';
import { contractWord, type Words } from './words.ts';

const mostRead = 300;
const mostShown = 60;
/** Entries that say the same of several places within this time are told as one. */
const togetherMillis = 2000;

const decisions: readonly HistoryEntry['kind'][] = [
  'daemon',
  'verdict',
  'decision',
  'hand',
  'override',
  'freeze',
  'maintenance',
  'readiness',
  'apply',
  'told',
  'alarm',
  'dropped',
];
const ofPeople: readonly HistoryEntry['kind'][] = ['hand', 'override', 'freeze', 'maintenance', 'apply'];

export function timelineView({ history, filter }: Model, words: Words, now: number): readonly Child[] {
  const shown = history.filter((entry) => isShown(entry, filter)).slice(0, mostRead);
  return [
    h('h2', {}, words.timelineTitle),
    h(
      'div',
      { class: 'switch', role: 'group', 'aria-label': words.timelineTitle },
      ...(['decisions', 'people', 'all'] as const).map((name) =>
        h(
          'button',
          {
            type: 'button',
            'data-do': 'filter',
            'data-filter': name,
            'aria-pressed': String(name === filter),
          },
          words.filters[name],
        ),
      ),
    ),
    shown.length === 0 ? h('p', { class: 'quiet' }, words.timelineNothing) : null,
    h('ol', { class: 'timeline' }, ...alike(shown).map((group) => item(group, words, now))),
  ];
}

function isShown({ kind, author }: HistoryEntry, filter: Filter): boolean {
  if (filter === 'all') return true;
  if (filter === 'people') return ofPeople.includes(kind) || (author !== 'causeway' && kind === 'decision');
  return decisions.includes(kind);
}

/** Neighbours that tell the same of different places, the newest group first. */
function alike(entries: readonly HistoryEntry[]): readonly (readonly HistoryEntry[])[] {
  const groups: HistoryEntry[][] = [];
  for (const entry of entries) {
    const group = groups.slice(-4).findLast(([first]) => first !== undefined && isAlike(first, entry));
    if (group !== undefined) group.push(entry);
    else if (groups.length < mostShown) groups.push([entry]);
  }
  return groups;
}

function isAlike(a: HistoryEntry, b: HistoryEntry): boolean {
  if (!('uplink' in a) || !('uplink' in b)) return false;
  const said = (entry: typeof a): string =>
    [
      entry.kind,
      entry.reason,
      entry.author,
      entry.from,
      entry.to,
      'guard' in entry ? entry.guard : '',
    ].join();
  return said(a) === said(b) && Math.abs(Date.parse(a.at) - Date.parse(b.at)) <= togetherMillis;
}

function item(group: readonly HistoryEntry[], words: Words, now: number): Child {
  const [entry] = group;
  const oldest = group.at(-1);
  if (entry === undefined || oldest === undefined) return null;
  const { at, kind, author, text } = oldest;
  const { from, to } = changeOf(entry, words);
  const subjects = group.map((one) => changeOf(one, words).subject).reverse();
  return h(
    'li',
    { key: String(oldest.id), 'data-kind': kind, class: to === null ? '' : toneOf(to) },
    h('time', { datetime: at }, clock(at, now)),
    h('span', { class: 'kind' }, kindWord(words, kind)),
    h(
      'div',
      {},
      h(
        'p',
        {},
        h('strong', {}, subjects.join(', ')),
        from === null || from === to ? null : ` ${contractWord(words, from)} →`,
        to === null ? null : ' ',
        to === null ? null : mark(words, to),
        author === 'causeway' ? null : h('span', { class: 'beside' }, ` ${words.by(author)}`),
      ),
      text === '' ? null : h('p', { class: 'said', lang: 'en' }, text),
      more(oldest, words),
    ),
  );
}

interface Change {
  readonly subject: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** One that is newer than this page stands as it is. */
function kindWord(words: Words, kind: string): string {
  const known: Readonly<Partial<Record<string, string>>> = words.kinds;
  return known[kind] ?? kind;
}

/** Whom an entry is about, and between which states. */
function changeOf(entry: HistoryEntry, words: Words): Change {
  const only = (subject: string, to: string | null = null): Change => ({ subject, from: null, to });
  switch (entry.kind) {
    case 'verdict':
      return {
        ...entry,
        subject: `${place(entry, words)}${entry.subject === 'uplink' ? '' : ` ${entry.subject}`}`,
      };
    case 'decision':
    case 'read-back':
      return { ...entry, subject: `${entry.service} ${place(entry, words)}` };
    case 'egress':
      return { ...entry, subject: `${words.egress} ${place(entry, words)}` };
    case 'readiness':
      return { ...entry, subject: entry.service };
    case 'hand':
    case 'override':
    case 'maintenance':
      return only(`${entry.subject} ${entry.event}`, entry.state);
    case 'command':
      return only(`${entry.command} ${entry.protocol}`);
    case 'alarm':
      return only(`${entry.reason} ${entry.event}`);
    case 'daemon':
    case 'freeze':
      return only(entry.event);
    case 'apply':
      return only(`${entry.step} ${entry.effect}`);
    case 'file':
      return only(entry.effect);
    case 'told':
      return only(`${entry.receiver} ${entry.subject} ${entry.effect}`);
    case 'dropped':
      return only(String(entry.count));
    default:
      return only(String((entry as { readonly kind?: unknown }).kind));
  }
}

function place(
  { uplink, family }: { readonly uplink: string; readonly family: 4 | 6 },
  words: Words,
): string {
  return `${uplink} ${words.family(family)}`;
}

/** Evidence and what overrules it, folded away. */
function more(entry: HistoryEntry, words: Words): Child {
  const evidence = entry.kind === 'verdict' || entry.kind === 'decision' ? entry.evidence : null;
  const undo = entry.kind === 'decision' ? entry.undo : null;
  const guard = entry.kind === 'decision' ? entry.guard : null;
  if (evidence === null && undo === null && guard === null) return null;
  return h(
    'details',
    {},
    h('summary', {}, words.evidence),
    guard === null ? null : h('p', {}, words.heldBy(contractWord(words, guard))),
    evidence === null
      ? null
      : h(
          'p',
          {},
          words.evidenceText({
            ...evidence,
            loss: percent(evidence.loss),
            p95: milliseconds(evidence.rttP95Millis),
          }),
        ),
    h('p', {}, `${words.reason}: ${contractWord(words, entry.reason)} · ${words.id} ${entry.id}`),
    undo === null ? null : h('p', {}, `${words.undo}: `, h('code', {}, undo)),
  );
}

/** For the charts: where BIRD began to show something else. */
export function chartMarks(history: readonly HistoryEntry[]): readonly ChartMark[] {
  return history.flatMap((entry): readonly ChartMark[] => {
    if (entry.kind !== 'read-back' || entry.from === entry.to) return [];
    const glyph = { exported: '▲', drained: '◆', absent: '▼', 'session-down': '▼', unknown: null } as const;
    const found = glyph[entry.to];
    // From `unknown` nothing was announced: the daemon only saw it for the first time.
    if (found === null || entry.from === 'unknown') return [];
    const { uplink, family, at } = entry;
    return [{ atMillis: Date.parse(at), uplink, family, glyph: found, tone: toneOf(entry.to) }];
  });
}
