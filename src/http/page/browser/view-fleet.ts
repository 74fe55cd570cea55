/** The fleet as this node sees it: who announces what, what the fleet would consent to, what several nodes see alike. */
import type { FleetStatus } from '../../../types/wire/fleet-status.ts';
import { h, type Child, type Spec } from './element.ts';
import { duration } from './format.ts';
import { mark } from './mark.ts';
import type { Model } from './model.ts';
import { contractWord, type Words } from './words.ts';

type Node = FleetStatus['nodes'][number];

export function fleetView({ status }: Model, words: Words): readonly Child[] {
  const fleet = status?.fleet;
  if (fleet === undefined) return [];
  const { link, redis, text, consentInSeconds, nodes, groups, findings } = fleet;
  return [
    h('h2', {}, words.fleetTitle),
    h(
      'p',
      {},
      mark(words, link === 'reading' ? 'up' : link === 'silent' ? 'down' : 'watch', words.fleetLink[link]),
      h('span', { class: 'beside' }, ` ${redis}`),
      consentInSeconds === null || consentInSeconds === 0
        ? null
        : h('span', { class: 'held' }, ` ${words.consentIn(duration(consentInSeconds))}`),
    ),
    link === 'reading' ? null : h('p', { class: 'said', lang: 'en' }, text),
    h('ul', { class: 'facts' }, ...nodes.map((node) => nodeLine(node, words))),
    h(
      'ul',
      { class: 'facts groups' },
      ...groups.map(({ service, family, consent, announcingNodes, text: why }) =>
        h(
          'li',
          { key: `${service} ${family}` },
          h('strong', {}, `${service} ${words.family(family)}: `),
          announcingNodes === null
            ? contractWord(words, 'unknown')
            : `${words.otherNodes(announcingNodes)}; ${words.consent[consent]}`,
          // With a number the sentence says no more.
          announcingNodes === null ? h('span', { class: 'said', lang: 'en' }, ` ${why}`) : null,
        ),
      ),
    ),
    ...findings.map((finding) => h('p', { class: 'note', lang: 'en' }, finding.text)),
  ];
}

function nodeLine(
  { node, site, self, state, why, silentMillis, mode, frozen, base, announcements }: Node,
  words: Words,
): Spec {
  const on = announcements.filter((one) => one.state === 'announces').length;
  const isOld = silentMillis !== null && state === 'unknown' && why === null;
  return h(
    'li',
    { key: node, 'data-node': node },
    h('strong', {}, node),
    h(
      'span',
      { class: 'beside' },
      ` ${[site, self ? words.fleetSelf : '', mode ?? ''].filter((part) => part !== '').join(', ')} `,
    ),
    state === 'unknown'
      ? mark(words, 'unknown')
      : mark(
          words,
          on === announcements.length ? 'announce' : on === 0 ? 'withdraw' : 'drain',
          words.fleetAnnounces(on, announcements.length),
        ),
    frozen ? h('span', { class: 'held' }, ` ${contractWord(words, 'frozen')}`) : null,
    base === undefined || base === 'steady'
      ? null
      : h('span', { class: 'held' }, ` ${contractWord(words, base)}`),
    isOld ? ` ${words.fleetSilent(duration(silentMillis / 1000))}` : null,
    why === null ? null : h('span', { class: 'said', lang: 'en' }, ` ${why}`),
  );
}
