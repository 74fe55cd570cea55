/** What a change would do: its problems, or whose answers move, from where to where. */
import { type Child, h, type Spec } from '../../../src/http/page/browser/element.ts';
import { percent } from '../../../src/http/page/browser/format.ts';
import type { GeoDnsPreview } from '../../../src/types/wire/geodns-answers.ts';
import type { Asked } from './model.ts';
import type { Words } from './words.ts';

const shownGroups = 5;

export function previewView(preview: Asked<GeoDnsPreview>, words: Words): readonly Child[] {
  switch (preview.kind) {
    case 'nothing':
      return [];
    case 'asking':
      return [h('p', {}, words.checking)];
    case 'failed':
      return [h('p', { class: 'refusal', role: 'alert' }, preview.text)];
    case 'found':
      return preview.value.ok ? effectView(preview.value, words) : [problemsView(preview.value.problems)];
    default:
      return preview satisfies never;
  }
}

function problemsView(problems: readonly string[]): Spec {
  return h(
    'ul',
    { class: 'problems', role: 'alert', lang: 'en' },
    ...problems.map((text) => h('li', {}, text)),
  );
}

function effectView(
  { moved, degraded }: Extract<GeoDnsPreview, { ok: true }>,
  words: Words,
): readonly Child[] {
  const touched = moved.policies.filter(({ share }) => share > 0);
  const { added, removed } = moved.names;
  return [
    h('p', { class: 'moved' }, h('strong', {}, headline(moved, words))),
    moved.by === 'nothing' ? null : h('p', { class: 'quiet' }, words.answersBy[moved.by]),
    ...touched.flatMap(({ policy, family, share, largest }) => [
      h('h3', {}, words.movedIn(policy, family, percent(share))),
      h(
        'ul',
        { class: 'effects' },
        ...largest
          .slice(0, shownGroups)
          .map(({ asn, network, country, from, to, share: part }) =>
            h(
              'li',
              {},
              `${network ?? words.unknown} AS${asn ?? '?'} ${country ?? '?'}: ${from ?? words.noAddress} → ${to ?? words.noAddress} `,
              h('span', { class: 'share' }, percent(part)),
            ),
          ),
      ),
    ]),
    added.length === 0 ? null : h('p', { class: 'note' }, words.namesAdded(added.join(', '))),
    removed.length === 0 ? null : h('p', { class: 'note' }, words.namesRemoved(removed.join(', '))),
    degraded === 0 ? null : h('p', { class: 'note' }, words.degradedThen(degraded)),
  ];
}

function headline({ by, share }: Extract<GeoDnsPreview, { ok: true }>['moved'], words: Words): string {
  if (by === 'nothing') return words.movesUnknown;
  return share === 0 ? words.movesNobody : words.moves(percent(share));
}
