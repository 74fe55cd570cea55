/** Sites, overrides, revisions, and what happened. */
import { type Child, h, type Spec } from '../../../src/http/page/browser/element.ts';
import { clock, duration } from '../../../src/http/page/browser/format.ts';
import type { GeoDnsOverride, GeoDnsRevision } from '../../../src/types/wire/geodns-answers.ts';
import { button } from './controls.ts';
import type { Model } from './model.ts';
import { stateMark } from './state-mark.ts';
import type { Words } from './words.ts';

export function sitesView({ sites }: Model, words: Words): readonly Child[] {
  if (sites === null) return [];
  return [
    h('h2', {}, words.sitesTitle),
    h(
      'ul',
      { class: 'facts' },
      ...sites.sites.map(({ name, serial, behind, behindSeconds, error }) =>
        h(
          'li',
          { key: name, 'data-site': name },
          h('strong', {}, `${name} `),
          behind === 0
            ? stateMark('up', words.hasAll)
            : stateMark('down', words.behind(behind, behindSeconds === null ? '–' : duration(behindSeconds))),
          h('span', { class: 'beside' }, ` ${serial === null ? words.unknown : words.serial(serial)}`),
          error === null ? null : h('p', { class: 'said', lang: 'en' }, error),
        ),
      ),
    ),
    sites.verification === null ? null : h('p', { class: 'quiet' }, words.verified(sites.verification.asked)),
  ];
}

export function overridesView({ state }: Model, words: Words, now: number): readonly Child[] {
  if (state === null) return [];
  const { overrides } = state;
  return [
    h('h2', {}, words.overridesTitle),
    overrides.length === 0
      ? h('p', { class: 'quiet' }, words.overridesNone)
      : h('ul', { class: 'facts' }, ...overrides.map((one) => overrideLine(one, words, now))),
  ];
}

function overrideLine(
  { glob, family, state, author, reason, untilMillis }: GeoDnsOverride,
  words: Words,
  now: number,
): Spec {
  const key = `${glob} ${family ?? ''}`;
  const until = words.until(
    clock(new Date(untilMillis).toISOString(), now),
    duration((untilMillis - now) / 1000),
  );
  return h(
    'li',
    { key },
    h('strong', {}, `${glob}${family === null ? '' : ` ${words.ipv(family)}`} `),
    stateMark(state, words.states[state]),
    h('p', { class: 'said' }, `${author}: ${reason}`),
    h('p', { class: 'quiet' }, until),
    h(
      'p',
      { class: 'buttons' },
      button('end-override', words.end, { 'data-glob': glob, 'data-family': String(family ?? '') }),
    ),
  );
}

export function revisionsView({ revisions }: Model, words: Words, now: number): readonly Child[] {
  if (revisions === null) return [];
  return [
    h('h2', {}, words.revisionsTitle),
    h(
      'ul',
      { class: 'facts' },
      ...revisions.revisions
        .slice(0, 20)
        .map((one) => revisionLine(one, revisions.current === one.number, words, now)),
    ),
  ];
}

function revisionLine(
  { number, serial, author, reason, at, of }: GeoDnsRevision,
  isCurrent: boolean,
  words: Words,
  now: number,
): Spec {
  return h(
    'li',
    { key: String(number), 'data-revision': String(number) },
    h('strong', {}, `${number} `),
    isCurrent ? stateMark('up', words.current) : null,
    h(
      'span',
      { class: 'beside' },
      ` ${clock(at, now)}${serial === null ? '' : ` · ${words.serial(serial)}`}`,
    ),
    h('p', { class: 'said' }, `${author}${reason === '' ? '' : `: ${reason}`}`),
    of === null ? null : h('p', { class: 'quiet' }, words.ofRevision(of)),
    isCurrent
      ? null
      : h('p', { class: 'buttons' }, button('rollback', words.rollback, { 'data-number': String(number) })),
  );
}

export function eventsView({ events, hasGap, state }: Model, words: Words, now: number): readonly Child[] {
  if (state === null) return [];
  return [
    h('h2', {}, words.eventsTitle),
    hasGap ? h('p', { class: 'note' }, words.gap) : null,
    events.length === 0 ? h('p', { class: 'quiet' }, words.eventsNone) : null,
    h(
      'ol',
      { class: 'timeline' },
      ...events
        .slice(0, 30)
        .map(({ id, at, kind, text }) =>
          h(
            'li',
            { key: String(id) },
            h('time', { datetime: at }, clock(at, now)),
            h('span', { class: 'kind' }, kind),
            h('div', { lang: 'en' }, text),
          ),
        ),
    ),
  ];
}
