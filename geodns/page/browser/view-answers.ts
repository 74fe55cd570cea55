/** Access networks down, places across: the answers that users there get, and how many users each is for. */
import { type Child, h, type Spec } from '../../../src/http/page/browser/element.ts';
import { percent } from '../../../src/http/page/browser/format.ts';
import type { GeoDnsAnswers } from '../../../src/types/wire/geodns-answers.ts';
import { choice } from './controls.ts';
import { type Model, shownPolicy } from './model.ts';
import { stateMark } from './state-mark.ts';
import type { Words } from './words.ts';

type Cell = GeoDnsAnswers['cells'][number];

const shownAnswers = 2;

export function answersView(model: Model, words: Words): readonly Child[] {
  const { map, answers, family } = model;
  if (map === null || answers === null) return [];
  const policy = shownPolicy(model);
  return [
    h(
      'div',
      { class: 'section-head' },
      h('h2', {}, words.answersTitle),
      h(
        'div',
        { class: 'switch', role: 'group', 'aria-label': words.policy },
        ...map.policies.map(({ name }) => choice('policy', name, name, name === policy)),
        ...([4, 6] as const).map((one) => choice('family', String(one), words.ipv(one), one === family)),
      ),
      h('p', { class: 'quiet' }, words.answersBy[answers.by]),
    ),
    h(
      'div',
      { class: 'wide', tabindex: '0', role: 'region', 'aria-label': words.answersTitle },
      table(model, answers, words),
    ),
  ];
}

function table({ map }: Model, { cells }: GeoDnsAnswers, words: Words): Spec {
  const places = [...new Set(cells.map(({ place }) => place))].sort((a, b) =>
    (a ?? '~') < (b ?? '~') ? -1 : 1,
  );
  const networks = [...new Set(cells.map(({ network }) => network))];
  const titleOf = (network: string | null): string =>
    map?.networks.find(({ name }) => name === network)?.title ?? words.unknown;
  return h(
    'table',
    { class: 'answers' },
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        h('th', { scope: 'col' }, words.network),
        ...places.map((place) => h('th', { scope: 'col' }, place ?? words.unknown)),
      ),
    ),
    h(
      'tbody',
      {},
      ...networks.map((network) =>
        h(
          'tr',
          { 'data-network': network ?? 'unknown' },
          h('th', { scope: 'row', title: titleOf(network) }, network ?? words.unknown),
          ...places.map((place) =>
            cellView(
              cells.find((cell) => cell.network === network && cell.place === place),
              place ?? words.unknown,
              words,
            ),
          ),
        ),
      ),
    ),
  );
}

function cellView(cell: Cell | undefined, place: string, words: Words): Spec {
  if (cell === undefined) return h('td', {});
  const [shown, others] = [cell.answers.slice(0, shownAnswers), cell.answers.length - shownAnswers];
  return h(
    'td',
    { 'data-label': place, 'data-place': place },
    ...shown.map(({ pool, level, share, addresses, rule }) =>
      h(
        'div',
        { title: `${rule ?? words.otherwise}: ${addresses.join(', ')}` },
        stateMark(level, pool ?? words.noAddress),
        h('span', { class: 'share' }, ` ${percent(share)}`),
      ),
    ),
    others > 0 ? h('span', { class: 'share' }, words.more(others)) : null,
  );
}
