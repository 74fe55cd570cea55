/** What is wrong, worst first. */
import { type Child, h, type Spec } from '../../../src/http/page/browser/element.ts';
import { shape } from '../../../src/http/page/browser/tone.ts';
import type { Model } from './model.ts';
import { type Trouble, troublesOf } from './troubles.ts';
import type { Words } from './words.ts';

export function troublesView({ state, sites }: Model, words: Words): readonly Child[] {
  if (state === null) return [];
  const troubles = troublesOf(state, sites, words);
  return [
    h('h2', {}, words.wrongTitle),
    troubles.length === 0
      ? h('p', { class: 'good' }, shape('good'), words.nothingWrong)
      : h('ul', { class: 'troubles' }, ...troubles.map((trouble) => line(trouble, words))),
  ];
}

function line({ level, text }: Trouble, words: Words): Spec {
  const tone = level === 'act' ? 'bad' : 'watch';
  return h(
    'li',
    { class: level, key: text },
    h('strong', {}, shape(tone), words[level]),
    h('span', {}, text),
  );
}
