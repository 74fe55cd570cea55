/** Gauges of the node's companions, where the config has them: fleet, GeoDNS, webhooks, edge. */
import type { StatusDocument } from '../../types/wire/status.ts';
import { labelled, single, stateSet, type StatusGauge } from './status-gauge.ts';

const linkStates = ['reading', 'settling', 'silent'];
const nodeStates = ['heard', 'unknown'];
const consentStates = ['given', 'refused', 'silent'];

export const companionGauges: readonly StatusGauge[] = [
  {
    name: 'causeway_fleet_link_state',
    help: 'How this node reads the fleet from Redis: 1 for the state that it is in. Absent without `fleet`.',
    labels: ['state'],
    rows: ({ fleet }) => (fleet === undefined ? [] : stateSet({}, linkStates, fleet.link)),
  },
  {
    name: 'causeway_fleet_nodes',
    help: 'Nodes of the fleet, this one included, by whether they are heard.',
    labels: ['state'],
    rows: ({ fleet }) =>
      fleet === undefined
        ? []
        : nodeStates.map((state) => ({
            labels: { state },
            value: fleet.nodes.filter((node) => node.state === state).length,
          })),
  },
  {
    name: 'causeway_fleet_other_announcing_nodes',
    help: 'Other nodes that announce a service, as this node sees them; absent where that is not known.',
    labels: ['service', 'family'],
    rows: ofGroups((group) => labelled(group.labels, group.announcingNodes)),
  },
  {
    name: 'causeway_fleet_consent_state',
    help: "The fleet's last word on whether this node may leave a service: 1 for the state that it is in.",
    labels: ['service', 'family', 'state'],
    rows: ofGroups((group) => stateSet(group.labels, consentStates, group.consent)),
  },
  {
    name: 'causeway_geodns_unacknowledged_uplinks',
    help: 'Uplinks whose latest state GeoDNS has not acknowledged. Absent without `geodns`.',
    labels: [],
    rows: ({ geodns }) =>
      single(geodns?.uplinks.filter(({ waitingSeconds }) => waitingSeconds !== null).length),
  },
  {
    name: 'causeway_geodns_acknowledged_seconds',
    help: 'How long ago GeoDNS acknowledged anything; absent where it has not since the start.',
    labels: [],
    rows: ({ geodns }) => single(geodns?.acknowledgedSeconds),
  },
  {
    name: 'causeway_webhook_waiting',
    help: 'What a webhook has not been told yet, or refuses.',
    labels: ['webhook'],
    rows: ({ webhooks = [] }) =>
      webhooks.map(({ name, waiting, refused }) => ({ labels: { webhook: name }, value: waiting + refused })),
  },
  {
    name: 'causeway_edge_taken',
    help: 'Whether the edge took the last word of this node; absent where it was told nothing.',
    labels: [],
    rows: ({ edge }) =>
      single(edge?.told === null || edge === undefined ? null : Number(edge.told.result === 'taken')),
  },
  {
    name: 'causeway_edge_origins_up',
    help: 'Origins of a pool that the edge is told are up.',
    labels: ['pool'],
    rows: ({ edge }) => {
      const pools = new Set(edge?.origins.map(({ pool }) => pool));
      return [...pools].map((pool) => ({
        labels: { pool },
        value: edge?.origins.filter((origin) => origin.pool === pool && origin.up === true).length ?? 0,
      }));
    },
  },
];

type Fleet = NonNullable<StatusDocument['fleet']>;
type Group = Fleet['groups'][number] & {
  readonly labels: { readonly service: string; readonly family: string };
};

function ofGroups(rows: (group: Group) => ReturnType<StatusGauge['rows']>): StatusGauge['rows'] {
  return ({ fleet }) =>
    (fleet?.groups ?? []).flatMap((group) =>
      rows({ ...group, labels: { service: group.service, family: String(group.family) } }),
    );
}
