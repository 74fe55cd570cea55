/** A state as word, shape and colour together: none of them is needed to understand it. */
import { h, type Spec } from './element.ts';
import { contractWord, type Words } from './words.ts';

export type Tone = 'good' | 'watch' | 'bad' | 'idle';

/** One shape a tone, told apart without colour. */
const shapes: Readonly<Record<Tone, string>> = { good: '●', watch: '▲', bad: '✖', idle: '○' };

const tones: Readonly<Partial<Record<string, Tone>>> = {
  healthy: 'good',
  degraded: 'watch',
  failed: 'bad',
  announce: 'good',
  drain: 'watch',
  withdraw: 'bad',
  exported: 'good',
  drained: 'watch',
  absent: 'bad',
  'session-down': 'bad',
  'not-exported': 'watch',
  use: 'good',
  avoid: 'watch',
  up: 'good',
  down: 'bad',
  missing: 'bad',
  ready: 'good',
  'not-ready': 'bad',
  Established: 'good',
  act: 'bad',
  watch: 'watch',
};

export function toneOf(word: string): Tone {
  return tones[word] ?? 'idle';
}

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

/** A shape alone, where the word stands beside it. */
export function shape(tone: Tone): Spec {
  return h('span', { 'aria-hidden': 'true', class: `shape ${tone}` }, shapes[tone]);
}
