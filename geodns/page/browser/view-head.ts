/** The top: which zone, which serial, whether what stands below is fresh, and the reader's own switches. */
import { type Child, h, type Spec } from '../../../src/http/page/browser/element.ts';
import { clock, duration } from '../../../src/http/page/browser/format.ts';
import { shape } from '../../../src/http/page/browser/tone.ts';
import { button, field } from './controls.ts';
import { isStale, type Model } from './model.ts';
import type { Words } from './words.ts';

export function headView(model: Model, words: Words, now: number): readonly Child[] {
  const { map, state, language, isKnown } = model;
  return [
    h('h1', {}, map?.zone ?? words.title),
    state === null ? null : h('span', { class: 'mode' }, words.serial(state.revision)),
    freshness(model, words, now),
    h('span', { class: 'grow' }),
    isKnown === true ? button('forget-token', words.tokenKept) : null,
    button('language', words.language, { title: words.languageHint, lang: language === 'en' ? 'zh' : 'en' }),
  ];
}

/** A line over everything when nothing is heard; empty otherwise. */
export function staleView(model: Model, words: Words, now: number): readonly Child[] {
  if (!isStale(model, now) || model.isKnown === false) return [];
  const { heardAt } = model;
  const text =
    heardAt === null
      ? words.never
      : words.stale(clock(new Date(heardAt).toISOString(), now), duration((now - heardAt) / 1000));
  return [h('p', { class: 'stale' }, shape('bad'), text)];
}

function freshness(model: Model, words: Words, now: number): Spec {
  const { heardAt } = model;
  if (heardAt === null) return h('span', { class: 'fresh' }, words.connecting);
  const stale = isStale(model, now);
  return h(
    'span',
    { class: `fresh ${stale ? 'bad' : 'good'}` },
    shape(stale ? 'bad' : 'good'),
    stale ? words.notSeen : `${words.fresh} ${clock(new Date(heardAt).toISOString(), now)}`,
  );
}

/** Asks for the token while there is none that the service knows. */
export function tokenView({ isKnown, isTokenRefused }: Model, words: Words): readonly Child[] {
  if (isKnown !== false) return [];
  return [
    h('h2', {}, words.tokenTitle),
    h(
      'form',
      { 'data-form': 'token', class: 'fields inline' },
      field(
        'token',
        words.tokenLabel,
        h('input', { name: 'token', type: 'password', autocomplete: 'off', required: true, minlength: '8' }),
      ),
      h('button', { type: 'submit', class: 'main' }, words.tokenUse),
    ),
    isTokenRefused ? h('p', { class: 'refusal', role: 'alert' }, words.tokenRefused) : null,
  ];
}
