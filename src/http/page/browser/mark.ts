/** A state as word, shape and colour together: none of them is needed to understand it. */
import { h, type Spec } from './element.ts';
import { shapes, toneOf } from './tone.ts';
import { contractWord, type Words } from './words.ts';

/** A word of the contract with its shape. `shown`: another text for it. */
export function mark(words: Words, word: string, shown: string = contractWord(words, word)): Spec {
  const tone = toneOf(word);
  return h(
    'span',
    { class: `mark ${tone}` },
    h('span', { 'aria-hidden': 'true', class: 'shape' }, shapes[tone]),
    shown,
  );
}
