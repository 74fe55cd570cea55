/** The fleet as this node sees it: nodes × carriers, what the fleet would consent to, what several nodes see alike. */
import type { FleetStatus } from '../../../types/wire/fleet-status.ts';
import { cardTable, cell, rowHead } from './card-table.ts';
import { h, type Child, type Spec } from './element.ts';
import { duration } from './format.ts';
import { mark } from './mark.ts';
import type { Model } from './model.ts';
import { contractWord, type Words } from './words.ts';

type Node = FleetStatus['nodes'][number];
type Announcement = Node['announcements'][number];

export function fleetView({ status }: Model, words: Words): readonly Child[] {
  const fleet = status?.fleet;
  if (fleet === undefined) return [];
  const { nodes, groups, findings } = fleet;
  const carriers = [
    ...new Set(nodes.flatMap(({ announcements }) => announcements.map(({ carrier }) => carrier))),
  ].sort();
  return [
    h('h2', {}, words.fleetTitle),
    ...linkLines(fleet, words),
    cardTable(
      words.fleetTitle,
      'fleet',
      [words.node, words.service, ...carriers],
      nodes.flatMap((node) => rowsOf(node, carriers, words)),
    ),
    h('ul', { class: 'facts groups' }, ...groups.map((group) => groupLine(group, words))),
    ...findings.map((finding) => h('p', { class: 'note', lang: 'en' }, finding.text)),
  ];
}

function linkLines({ link, redis, text, consentInSeconds }: FleetStatus, words: Words): readonly Child[] {
  return [
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
  ];
}

/** A row for each service; one that says why where there is nothing to show of a node. */
function rowsOf(node: Node, carriers: readonly string[], words: Words): readonly Spec[] {
  const services = [...new Set(node.announcements.map(({ service }) => service))];
  if (node.state === 'unknown' || services.length === 0) {
    const said = node.state === 'unknown' ? unknownWords(node, words) : [words.fleetNothing];
    const across = { role: 'cell', colspan: String(carriers.length + 1), class: 'health' };
    return [row(node, '', words, h('td', across, ...said))];
  }
  return services.map((service) => {
    const own = node.announcements.filter((one) => one.service === service);
    return row(
      node,
      service,
      words,
      cell(words.service, '', service),
      ...carriers.map((carrier) => carrierCell(carrier, own, words)),
    );
  });
}

function row(node: Node, service: string, words: Words, ...cells: readonly Spec[]): Spec {
  return h(
    'tr',
    { role: 'row', key: `${node.node} ${service}`, 'data-node': node.node },
    rowHead(h('strong', {}, node.node), ...besides(node, words)),
    ...cells,
  );
}

function besides({ site, self, mode, frozen, base }: Node, words: Words): readonly Child[] {
  const quiet = [site, self ? words.fleetSelf : ''].filter((part) => part !== '');
  const held = [
    mode === 'observe' ? mode : '',
    frozen ? 'frozen' : '',
    base === undefined || base === 'steady' ? '' : base,
  ].filter((part) => part !== '');
  return [
    quiet.length === 0 ? null : h('span', { class: 'beside' }, ` ${quiet.join(', ')}`),
    ...held.map((word) => h('span', { class: 'held' }, ` ${contractWord(words, word)}`)),
  ];
}

function unknownWords({ why, silentMillis }: Node, words: Words): readonly Child[] {
  const silent = silentMillis === null ? '' : words.fleetSilent(duration(silentMillis / 1000));
  return [
    mark(words, 'unknown'),
    why === null ? ` ${silent}` : h('span', { class: 'said', lang: 'en' }, ` ${why}`),
  ];
}

/** Each state once; of which families, or of which uplinks where a carrier has several, if they differ. */
function carrierCell(carrier: string, ofService: readonly Announcement[], words: Words): Spec {
  const own = ofService.filter((one) => one.carrier === carrier);
  const states = [...new Set(own.map(({ state }) => state))];
  const hasSeveral = new Set(own.map(({ uplink }) => uplink)).size > 1;
  const placesOf = (state: Announcement['state']): string =>
    own
      .filter((one) => one.state === state)
      .map(({ uplink, family }) => `${hasSeveral ? `${uplink} ` : ''}${words.family(family)}`)
      .join(', ');
  const marks = states.flatMap((state) => [
    mark(words, state),
    states.length === 1 ? null : h('span', { class: 'beside' }, ` ${placesOf(state)} `),
  ]);
  return cell(carrier, 'carrier', ...(marks.length === 0 ? ['–'] : marks));
}

/** The daemon's sentence where it is the count alone, which stands there in the reader's language. */
const countAlone = /^\d+ other nodes? announces? it$/;

function groupLine(
  { service, family, consent, announcingNodes, text }: FleetStatus['groups'][number],
  words: Words,
): Spec {
  const known = announcingNodes === null ? [] : [words.otherNodes(announcingNodes)];
  return h(
    'li',
    { key: `${service} ${family}` },
    h('strong', {}, `${service} ${words.family(family)}: `),
    [words.consent[consent], ...known].join('; '),
    countAlone.test(text) ? null : h('span', { class: 'said', lang: 'en' }, ` ${text}`),
  );
}
