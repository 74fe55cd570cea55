/** Node × uplink × family: what counts now and by whose word, and the regions for which something else was told. */
import { type Child, h, type Spec } from '../../../src/http/page/browser/element.ts';
import type { GeoDnsTarget } from '../../../src/types/wire/geodns-answers.ts';
import { button } from './controls.ts';
import type { Model } from './model.ts';
import { stateMark } from './state-mark.ts';
import type { Words } from './words.ts';

export function targetsView({ state }: Model, words: Words): readonly Child[] {
  if (state === null) return [];
  const heads = [words.carrier, words.ipv(4), words.ipv(6), words.regions, words.told, ''];
  return [
    h('h2', {}, words.targetsTitle),
    h(
      'div',
      { class: 'wide' },
      h(
        'table',
        { class: 'cards targets' },
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            h('th', { scope: 'col' }, words.target),
            ...heads.map((text) => (text === '' ? h('td', {}) : h('th', { scope: 'col', key: text }, text))),
          ),
        ),
        h('tbody', {}, ...state.targets.map((target) => row(target, words))),
      ),
    ),
  ];
}

function row(target: GeoDnsTarget, words: Words): Spec {
  const states = ([4, 6] as const).map((family) => target.now[family]?.state);
  const worst = states.includes('down') ? 'down' : states.includes('drain') ? 'drain' : null;
  return h(
    'tr',
    { key: target.target, 'data-target': target.target, class: worst },
    h('th', { scope: 'row' }, target.target),
    h('td', { 'data-label': words.carrier }, target.carrier),
    ...([4, 6] as const).map((family) => familyCell(target, family, words)),
    h('td', { 'data-label': words.regions }, ...regionsOf(target, words)),
    h('td', { 'data-label': words.told, class: 'why' }, toldText(target, words)),
    h('td', { class: 'buttons' }, button('override', words.override, { 'data-target': target.target })),
  );
}

function familyCell({ now }: GeoDnsTarget, family: 4 | 6, words: Words): Spec {
  const found = now[family];
  const label = { 'data-label': words.ipv(family), 'data-family': String(family) };
  if (found === undefined) return h('td', label, '–');
  const by = byWord(found.by, words);
  return h(
    'td',
    label,
    stateMark(found.state, words.states[found.state]),
    h('span', { class: 'beside' }, ` ${by}${found.by === 'override' ? `: ${found.text}` : ''}`),
  );
}

function byWord(by: string, words: Words): string {
  const known: Readonly<Partial<Record<string, string>>> = words.by;
  return known[by] ?? by;
}

function regionsOf({ told }: GeoDnsTarget, words: Words): readonly Child[] {
  return ([4, 6] as const).flatMap((family) =>
    Object.entries(told?.families[family]?.regions ?? {})
      .filter(([, state]) => state !== 'up')
      .map(([region, state]) =>
        h(
          'span',
          { class: 'region', key: `${family} ${region}` },
          stateMark(state, `${region} ${words.ipv(family)} ${words.states[state]} `),
        ),
      ),
  );
}

function toldText({ told }: GeoDnsTarget, words: Words): Spec {
  return told === null
    ? h('span', { class: 'quiet' }, words.nothingTold)
    : h('span', { class: 'said', lang: 'en' }, told.reason);
}
