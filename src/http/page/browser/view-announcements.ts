/** Wanted against seen in BIRD, for each service × uplink × family, with the reason and what holds it. */
import type { AnnouncementStatus } from '../../../types/wire/status.ts';
import { cardTable, cell, rowHead } from './card-table.ts';
import { h, type Child, type Spec } from './element.ts';
import { agreement, type UplinkFamily, uplinkFamilies } from './figures.ts';
import { duration } from './format.ts';
import { mark } from './mark.ts';
import type { Model } from './model.ts';
import { contractWord, type Words } from './words.ts';

export function announcementsView({ status }: Model, words: Words): readonly Child[] {
  if (status === null) return [];
  const rows = uplinkFamilies(status).flatMap((place) =>
    place.status.announcements.map((announcement) => ({ place, announcement })),
  );
  const order = [...new Set(rows.map(({ announcement }) => announcement.service))];
  rows.sort((a, b) => order.indexOf(a.announcement.service) - order.indexOf(b.announcement.service));
  // Without a flap budget there is no end of changes.
  const counts = status.guards?.flapBudget !== 'off';
  const heads = [
    words.service,
    words.uplink,
    words.wish,
    words.seen,
    words.neighbour,
    words.why,
    words.changesLeft,
  ];
  return [
    h('h2', {}, words.announcementsTitle),
    cardTable(
      words.announcementsTitle,
      'announcements',
      heads,
      rows.map(({ place, announcement }) => row(place, announcement, counts, words)),
    ),
  ];
}

function row(
  { uplink, family }: UplinkFamily,
  announcement: AnnouncementStatus,
  counts: boolean,
  words: Words,
): Spec {
  const { service, wish, seen, exported, beyond, changesLeft } = announcement;
  const agrees = agreement(announcement);
  const place = `${uplink.uplink} ${words.family(family)}`;
  return h(
    'tr',
    {
      role: 'row',
      key: `${service} ${place}`,
      class: agrees,
      'data-service': service,
      'data-uplink': uplink.uplink,
      'data-family': String(family),
    },
    rowHead(h('strong', {}, service)),
    cell(words.uplink, 'place', place),
    cell(words.wish, 'wish', mark(words, wish)),
    cell(
      words.seen,
      'seen',
      mark(words, seen),
      agrees === 'differs' ? h('strong', { class: 'differs' }, ' ≠') : null,
    ),
    cell(
      words.neighbour,
      '',
      exported === undefined ? '–' : contractWord(words, exported),
      beyond === undefined ? null : small(contractWord(words, beyond)),
    ),
    cell(words.why, 'why', ...why(announcement, words)),
    cell(words.changesLeft, 'figure', changesLeft === undefined || !counts ? '–' : String(changesLeft)),
  );
}

function why({ reason, text, author, held, file }: AnnouncementStatus, words: Words): readonly Child[] {
  const left =
    held === null || held.remainingSeconds === null ? '' : `, ${words.left(duration(held.remainingSeconds))}`;
  return [
    h('span', {}, contractWord(words, reason)),
    author === 'causeway' ? null : small(words.by(author)),
    text === reason ? null : h('span', { class: 'said', lang: 'en' }, ` ${text}`),
    held === null
      ? null
      : h('span', { class: 'held' }, ` ${words.heldBy(contractWord(words, held.guard))}${left}`),
    file === 'behind' ? h('span', { class: 'held' }, ` ${words.fileBehind}`) : null,
  ];
}

const small = (text: string): Spec => h('span', { class: 'beside' }, ` ${text}`);
