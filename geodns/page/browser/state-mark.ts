/** A state or a level with its shape and colour; none of the three is needed to understand it. */
import { h, type Spec } from '../../../src/http/page/browser/element.ts';
import { shapes, type Tone, toneOf } from '../../../src/http/page/browser/tone.ts';

const levels: Readonly<Partial<Record<string, Tone>>> = {
  normal: 'good',
  short: 'watch',
  drained: 'watch',
  'fail-open': 'bad',
  'all-down': 'bad',
};

/** `word`: of the contract; `shown`: in the reader's language. */
export function stateMark(word: string, shown: string = word): Spec {
  const tone = levels[word] ?? toneOf(word);
  return h(
    'span',
    { class: `mark ${tone}` },
    h('span', { 'aria-hidden': 'true', class: 'shape' }, shapes[tone]),
    shown,
  );
}
