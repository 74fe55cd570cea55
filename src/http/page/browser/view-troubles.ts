/** The list of what is wrong, the worst first. */
import { subjectWords } from './subject.ts';
import { h, type Child, type Spec } from './element.ts';
import { clock, duration } from './format.ts';
import { mark } from './mark.ts';
import type { Model } from './model.ts';
import { type Trouble, troublesOf } from './troubles.ts';
import { contractWord, type Words } from './words.ts';

type Of<K extends Trouble['kind']> = Extract<Trouble, { readonly kind: K }>;

export function troublesView({ status }: Model, words: Words, now: number): readonly Child[] {
  if (status === null) return [];
  const troubles = troublesOf(status);
  const title = h('h2', {}, words.wrongTitle);
  if (troubles.length === 0) return [title, h('p', { class: 'quiet' }, words.nothingWrong)];
  return [
    title,
    h(
      'ul',
      { class: 'troubles' },
      ...troubles.map((trouble, index) =>
        h(
          'li',
          { key: `${index} ${trouble.kind}`, class: trouble.level },
          mark(words, trouble.level, words.levels[trouble.level]),
          h('div', {}, ...lines(trouble, words, now)),
        ),
      ),
    ),
  ];
}

/** The first line says what; those below why, and what was done about it. */
function lines(trouble: Trouble, words: Words, now: number): readonly Child[] {
  switch (trouble.kind) {
    case 'tick-stuck':
      return [strong(words.tickStuck(duration(trouble.seconds)))];
    case 'bird':
      return [strong(words.birdAway), said(trouble.text)];
    case 'prober':
      return [strong(words.proberAway), said(trouble.text)];
    case 'alarm':
      return [
        strong(`${words.alarm} ${trouble.code}`, words.since(clock(trouble.since, now))),
        said(trouble.text),
      ];
    case 'uplink':
      return uplinkLines(trouble, words);
    case 'region': {
      const { region, health, reason } = trouble;
      const what = `${words.regionWord} ${region} ${contractWord(words, health)}`;
      return [strong(`${place(trouble, words)}: ${what}`, contractWord(words, reason))];
    }
    case 'session':
      return [strong(`${place(trouble, words)}: ${words.sessionWord} ${trouble.state}`)];
    case 'differs': {
      const { service, wish, seen, text } = trouble.announcement;
      const what = words.differs(contractWord(words, wish), contractWord(words, seen));
      return [strong(`${service} ${place(trouble, words)}: ${what}`), said(text)];
    }
    case 'held':
      return heldLines(trouble, words);
    case 'not-ready':
      return [strong(`${trouble.service}: ${words.notReady}`), said(trouble.text)];
    case 'finding':
      return [strong(words.fleetTitle), said(trouble.text)];
    case 'frozen': {
      const { author, at, reason } = trouble;
      return [strong(words.frozen, `${words.by(author)}, ${words.since(clock(at, now))}`), said(reason)];
    }
    case 'override':
      return overrideLines(trouble, words, now);
    default:
      return unknownTrouble(trouble);
  }
}

function uplinkLines(trouble: Of<'uplink'>, words: Words): readonly Child[] {
  const { health, reason, text, sinceSeconds, link, announcements, carriedBy } = trouble;
  const bad = health === 'failed' || health === 'degraded';
  const what = bad ? contractWord(words, health) : `${words.linkWord} ${contractWord(words, link)}`;
  return [
    strong(
      `${place(trouble, words)}: ${what}`,
      bad ? `${contractWord(words, reason)}, ${words.forLength(duration(sinceSeconds))}` : '',
    ),
    said(text),
    h(
      'p',
      { class: 'then' },
      '→ ',
      ...announcements.flatMap(({ service, wish, seen }, index): readonly Child[] => [
        index === 0 ? '' : ', ',
        `${service}: ${contractWord(words, wish)} (${words.seen}: ${contractWord(words, seen)})`,
      ]),
      '; ',
      carriedBy.length === 0 ? h('strong', {}, words.carriedByNone) : words.carriedBy(carriedBy.join(', ')),
    ),
  ];
}

function heldLines(trouble: Of<'held'>, words: Words): readonly Child[] {
  const { service, held, wish } = trouble.announcement;
  if (held === null) return [];
  const left =
    held.remainingSeconds === null ? words.untilEvent : words.left(duration(held.remainingSeconds));
  const what = `${contractWord(words, wish)}, ${words.heldBy(contractWord(words, held.guard))}`;
  return [strong(`${service} ${place(trouble, words)}: ${what}`, left), said(held.text)];
}

function overrideLines({ override }: Of<'override'>, words: Words, now: number): readonly Child[] {
  const { subject, state, author, reason, expires, remainingSeconds } = override;
  const until =
    expires === null
      ? words.expiresNever
      : words.expires(clock(expires, now), duration(remainingSeconds ?? 0));
  return [
    strong(`${subjectWords(subject, words)}: ${contractWord(words, state)}`, `${words.by(author)}, ${until}`),
    said(reason),
  ];
}

/** `cmi IPv4+IPv6`. */
function place(
  { uplink, families }: { readonly uplink: string; readonly families: readonly (4 | 6)[] },
  words: Words,
): string {
  return `${uplink} ${families.map((family) => words.family(family)).join('+')}`;
}

function strong(text: string, beside = ''): Spec {
  return h(
    'p',
    {},
    h('strong', {}, text),
    beside === '' ? null : h('span', { class: 'beside' }, ` ${beside}`),
  );
}

/** A sentence of the daemon, of BIRD or of a person. */
function said(text: string): Child {
  return text === '' ? null : h('p', { class: 'said', lang: 'en' }, text);
}

function unknownTrouble(trouble: never): readonly Child[] {
  return [JSON.stringify(trouble)];
}
