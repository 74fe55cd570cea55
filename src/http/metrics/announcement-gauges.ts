/** Gauges of announcements: what is wished, what BIRD does, what is held; and of the services. */
import { announceState, guard, seenState } from '../../types/wire/enums.ts';
import type { AnnouncementStatus, StatusDocument } from '../../types/wire/status.ts';
import { type GaugeRow, labelled, stateSet, type StatusGauge } from './status-gauge.ts';

const readinessWords = ['ready', 'not-ready', 'unknown', 'no-check'];
const perAnnouncement = ['service', 'uplink', 'family'];

type Labels = Readonly<Record<'service' | 'uplink' | 'family', string>>;

export const announcementGauges: readonly StatusGauge[] = [
  {
    name: 'causeway_announcement_wish_state',
    help: 'What is wished of an announcement: 1 for the state that it should have.',
    labels: [...perAnnouncement, 'state'],
    rows: ofAll((labels, { wish }) => stateSet(labels, announceState.options, wish)),
  },
  {
    name: 'causeway_announcement_seen_state',
    help: 'What BIRD does with an announcement: 1 for the state that is seen.',
    labels: [...perAnnouncement, 'state'],
    rows: ofAll((labels, { seen }) => stateSet(labels, seenState.options, seen)),
  },
  {
    name: 'causeway_announcement_differs',
    help: 'Whether BIRD does something else with an announcement than is wished; a session that is down counts as withdrawn.',
    labels: perAnnouncement,
    rows: ofAll((labels, announcement) => labelled(labels, Number(differs(announcement)))),
  },
  {
    name: 'causeway_announcement_held',
    help: 'Whether a guard holds back what a verdict wants of an announcement.',
    labels: perAnnouncement,
    rows: ofAll((labels, { held }) => labelled(labels, Number(held !== null))),
  },
  {
    name: 'causeway_guard_held_announcements',
    help: 'Announcements that a guard holds.',
    labels: ['guard'],
    rows: (document) => {
      const held = announcementsOf(document).map(({ announcement }) => announcement.held?.guard);
      return guard.options.map((name) => ({
        labels: { guard: name },
        value: held.filter((one) => one === name).length,
      }));
    },
  },
  {
    name: 'causeway_announcement_changes_left',
    help: 'Withdrawals, each with its return, that the flap budget still has room for.',
    labels: perAnnouncement,
    rows: ofAll((labels, { changesLeft }) => labelled(labels, changesLeft)),
  },
  {
    name: 'causeway_announcements_file_behind',
    help: 'Announcements whose wish the owned file does not hold yet.',
    labels: [],
    rows: (document) => [
      {
        labels: {},
        value: announcementsOf(document).filter(({ announcement }) => announcement.file === 'behind').length,
      },
    ],
  },
  {
    name: 'causeway_service_readiness_state',
    help: 'Readiness of a service on this node: 1 for the state that it has.',
    labels: ['service', 'state'],
    rows: ({ services = [] }) =>
      services.flatMap(({ service, readiness }) => stateSet({ service }, readinessWords, readiness)),
  },
];

/** Whether what is seen is not what is wished; unknown differs from nothing. */
function differs({ wish, seen }: AnnouncementStatus): boolean {
  switch (seen) {
    case 'unknown':
      return false;
    case 'exported':
      return wish !== 'announce';
    case 'drained':
      return wish !== 'drain';
    case 'absent':
    case 'session-down':
      return wish !== 'withdraw';
  }
}

function announcementsOf({ uplinks }: StatusDocument) {
  return uplinks.flatMap(({ uplink, families }) =>
    Object.entries(families).flatMap(([family, status]) =>
      (status?.announcements ?? []).map((announcement) => ({
        announcement,
        labels: { service: announcement.service, uplink, family },
      })),
    ),
  );
}

function ofAll(
  rows: (labels: Labels, announcement: AnnouncementStatus) => readonly GaugeRow[],
): StatusGauge['rows'] {
  return (document) =>
    announcementsOf(document).flatMap(({ labels, announcement }) => rows(labels, announcement));
}
