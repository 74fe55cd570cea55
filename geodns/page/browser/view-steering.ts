/** What measured steering proposes, and what of it acts; the freeze that stops it. */
import { type Child, h, type Spec } from '../../../src/http/page/browser/element.ts';
import { percent } from '../../../src/http/page/browser/format.ts';
import type { GeoDnsSteering } from '../../../src/types/wire/geodns-answers.ts';
import { button } from './controls.ts';
import type { Model } from './model.ts';
import { stateMark } from './state-mark.ts';
import type { Words } from './words.ts';

export function steeringView({ steering }: Model, words: Words): readonly Child[] {
  if (steering === null) return [];
  const acting = steering.acting.filter(({ isActing }) => isActing);
  return [
    h('h2', {}, words.steeringTitle),
    freezeLine(steering, words),
    steering.proposals.length + acting.length === 0 ? h('p', { class: 'quiet' }, words.noProposals) : null,
    h(
      'ul',
      { class: 'facts' },
      ...acting.map((entry) => actingLine(entry, words)),
      ...steering.proposals.map((proposal) => proposalLine(proposal, words)),
    ),
  ];
}

function freezeLine({ mode, isFrozen, freeze, frozenNodes }: GeoDnsSteering, words: Words): Spec {
  return h(
    'p',
    { class: 'switch' },
    h('span', {}, words.steeringMode(mode)),
    freeze === null ? null : h('span', { class: 'held' }, words.frozenBy(freeze.author, freeze.reason)),
    isFrozen && freeze === null
      ? h('span', { class: 'held' }, words.frozenNodes(frozenNodes.join(', ')))
      : null,
    freeze === null ? button('freeze', words.freeze) : button('thaw', words.thaw),
  );
}

function actingLine(entry: GeoDnsSteering['acting'][number], words: Words): Spec {
  const { policy, rule, base, order, author, reason } = entry;
  return h(
    'li',
    { key: `acting ${policy} ${rule}` },
    h('strong', {}, `${words.ruleName(policy, rule)} `),
    stateMark('drain', words.acts),
    h('p', {}, `${base.join(', ')} → ${order.join(', ')}`),
    h('p', { class: 'said', lang: 'en' }, `${author}: ${reason}`),
    buttons('revert', words.revert, policy, rule),
  );
}

function proposalLine(proposal: GeoDnsSteering['proposals'][number], words: Words): Spec {
  const { policy, rule, from, to, share, reason, held } = proposal;
  return h(
    'li',
    { key: `proposed ${policy} ${rule}` },
    h('strong', {}, `${words.ruleName(policy, rule)} `),
    stateMark('proposed', words.proposed),
    h('span', { class: 'share' }, ` ${words.shareOfUsers(percent(share))}`),
    h('p', {}, `${from.join(', ')} → ${to.join(', ')}`),
    h('p', { class: 'said', lang: 'en' }, reason),
    held === null ? null : h('p', { class: 'held' }, words.heldBy(held)),
    buttons('accept', words.accept, policy, rule),
  );
}

function buttons(action: string, text: string, policy: string, rule: number): Spec {
  const subject = { 'data-policy': policy, 'data-rule': String(rule) };
  return h('p', { class: 'buttons' }, button(action, text, subject));
}
