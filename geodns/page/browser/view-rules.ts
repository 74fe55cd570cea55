/** Rules in their order, each with its fallback order, and the pools that they name. */
import { type Child, h, type Spec } from '../../../src/http/page/browser/element.ts';
import type { GeoDnsMap } from '../../../src/types/wire/geodns-answers.ts';
import type { Model } from './model.ts';
import type { Words } from './words.ts';

type Policy = GeoDnsMap['policies'][number];

/** Those by the carriers of each access network are many, and say little. */
const shownRules = 12;

export function rulesView({ map }: Model, words: Words): readonly Child[] {
  if (map === null) return [];
  return [
    h('h2', {}, words.rulesTitle),
    ...map.policies.flatMap((policy) => policyView(policy, map, words)),
    h('ul', { class: 'facts pools' }, ...map.pools.map((pool) => poolView(pool, words))),
  ];
}

function policyView(policy: Policy, { names }: GeoDnsMap, words: Words): readonly Child[] {
  const used = names.filter((one) => one.policy === policy.name).map(({ name }) => name);
  const about = [...used, ...(policy.service === null ? [] : [words.service(policy.service)])].join(', ');
  const others = policy.rules.slice(shownRules);
  return [
    h('h3', { key: `name ${policy.name}` }, policy.name, h('span', { class: 'beside' }, ` ${about}`)),
    list(policy.name, policy.rules.slice(0, shownRules), words),
    others.length === 0
      ? null
      : h(
          'details',
          { key: `more ${policy.name}` },
          h('summary', {}, words.moreRules(others.length)),
          list(`${policy.name} more`, others, words),
        ),
    h(
      'ol',
      { class: 'rules-list', key: `default ${policy.name}` },
      line('–', words.otherwise, policy.default, null, words),
    ),
  ];
}

function list(name: string, rules: Policy['rules'], words: Words): Spec {
  return h(
    'ol',
    { class: 'rules-list', key: `rules ${name}`, 'data-policy': name },
    ...rules.map(({ number, asks, use, note }) => line(String(number), asks.join(' + '), use, note, words)),
  );
}

function line(number: string, asks: string, use: readonly string[], note: string | null, words: Words): Spec {
  return h(
    'li',
    {},
    h('span', { class: 'number' }, number),
    h(
      'span',
      {},
      h('strong', {}, asks),
      ` → ${use.join(` ${words.orElse} `)}`,
      note === null ? null : h('span', { class: 'beside' }, ` ${note}`),
    ),
  );
}

function poolView({ name, targets, minHealthy, pick }: GeoDnsMap['pools'][number], words: Words): Spec {
  return h(
    'li',
    { key: name },
    h('strong', {}, `${words.pool} ${name}: `),
    targets.join(', '),
    h('span', { class: 'beside' }, ` ${words.minHealthy(minHealthy)}, ${words.pick[pick]}`),
  );
}
