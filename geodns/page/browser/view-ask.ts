/** A box for an address: what its user is answered now, and why. */
import { type Child, h } from '../../../src/http/page/browser/element.ts';
import type { GeoDnsDecision } from '../../../src/types/wire/geodns-answers.ts';
import { field, select } from './controls.ts';
import type { Model } from './model.ts';
import { stateMark } from './state-mark.ts';
import type { Words } from './words.ts';

export function askView({ map, decision }: Model, words: Words): readonly Child[] {
  if (map === null) return [];
  return [
    h('h2', {}, words.askTitle),
    h(
      'form',
      { 'data-form': 'ask', class: 'fields inline' },
      field(
        'ip',
        words.address,
        h('input', {
          name: 'ip',
          required: true,
          maxlength: '100',
          autocomplete: 'off',
          spellcheck: 'false',
          placeholder: words.askHint,
        }),
      ),
      field(
        'name',
        words.name,
        select(
          'name',
          map.names.map(({ name }) => ({ value: name.replace('*', 'any'), text: name })),
        ),
      ),
      field(
        'type',
        words.family,
        select('type', [
          { value: 'A', text: 'A' },
          { value: 'AAAA', text: 'AAAA' },
        ]),
      ),
      h('button', { type: 'submit', class: 'main' }, words.ask),
    ),
    h('div', { 'aria-live': 'polite', class: 'decision' }, ...decisionView(decision, words)),
  ];
}

function decisionView(decision: Model['decision'], words: Words): readonly Child[] {
  switch (decision.kind) {
    case 'nothing':
      return [];
    case 'asking':
      return [h('p', {}, words.checking)];
    case 'failed':
      return [h('p', { class: 'refusal', role: 'alert' }, decision.text)];
    case 'found':
      return found(decision.value, words);
    default:
      return decision satisfies never;
  }
}

function found(decision: GeoDnsDecision, words: Words): readonly Child[] {
  const { answer, pool, level, why, ttlSeconds, serial, ip } = decision;
  const addresses =
    answer.kind === 'all'
      ? answer.addresses.join(', ')
      : answer.choices.map(({ address, weight }) => `${address} ×${weight}`).join(', ');
  return [
    h('p', { class: 'answer' }, `${ip} → ${addresses === '' ? words.noAddress : addresses}`),
    h(
      'p',
      { class: 'quiet' },
      stateMark(level, words.level(level)),
      ` · ${words.pool} ${pool ?? '–'} · ${words.ttl(ttlSeconds, serial)}`,
    ),
    h('ul', { class: 'why-list', lang: 'en' }, ...why.map((line) => h('li', {}, line))),
  ];
}
