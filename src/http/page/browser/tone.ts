/** What a state means to a reader: a tone, with a shape that is told from the others without its colour. */
import { h, type Spec } from './element.ts';

export type Tone = 'good' | 'watch' | 'bad' | 'idle';

/** One shape a tone, told apart without colour. */
export const shapes: Readonly<Record<Tone, string>> = { good: '●', watch: '▲', bad: '✖', idle: '○' };

const tones: Readonly<Partial<Record<string, Tone>>> = {
  healthy: 'good',
  degraded: 'watch',
  failed: 'bad',
  announce: 'good',
  announces: 'good',
  drain: 'watch',
  withdraw: 'bad',
  exported: 'good',
  drained: 'watch',
  leaving: 'watch',
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

/** A shape alone, where the word stands beside it. */
export function shape(tone: Tone): Spec {
  return h('span', { 'aria-hidden': 'true', class: `shape ${tone}` }, shapes[tone]);
}
