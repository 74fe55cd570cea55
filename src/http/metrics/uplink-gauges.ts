/** Gauges of uplinks: link, session, health, loss and round trips; of their regions and targets. */
import { egressState, healthState } from '../../types/wire/enums.ts';
import type { FamilyStatus, StatusDocument, TargetStatus, UplinkStatus } from '../../types/wire/status.ts';
import { type GaugeRow, labelled, stateSet, type StatusGauge } from './status-gauge.ts';

/** Beyond this, targets have no series of their own: their number is the operator's, and each has three. */
export const targetsAtMost = 500;

const linkStates = ['up', 'down', 'missing', 'unknown'];

interface Place {
  readonly uplink: UplinkStatus;
  readonly family: FamilyStatus;
  readonly labels: { readonly uplink: string; readonly family: string };
}

const perFamily = ['uplink', 'family'];
const perTarget = [...perFamily, 'region', 'target'];

export const uplinkGauges: readonly StatusGauge[] = [
  {
    name: 'causeway_uplink_info',
    help: 'Always 1; the carrier and the interface of an uplink.',
    labels: ['uplink', 'carrier', 'interface'],
    rows: ({ uplinks }) =>
      uplinks.map(({ uplink, carrier, interface: name }) => ({
        labels: { uplink, carrier, interface: name },
        value: 1,
      })),
  },
  {
    name: 'causeway_uplink_link_state',
    help: 'The interface of an uplink: 1 for the state that it has.',
    labels: ['uplink', 'state'],
    rows: ({ uplinks }) => uplinks.flatMap(({ uplink, link }) => stateSet({ uplink }, linkStates, link)),
  },
  {
    name: 'causeway_uplink_health_state',
    help: 'The verdict about an uplink: 1 for the state that it has.',
    labels: [...perFamily, 'state'],
    rows: ofPlaces(({ labels, family }) => stateSet(labels, healthState.options, family.health)),
  },
  {
    name: 'causeway_uplink_loss_ratio',
    help: "Share of lost probes in the verdict's window, 0 to 1; absent where nothing was measured.",
    labels: perFamily,
    rows: ofPlaces(({ labels, family }) => labelled(labels, family.evidence.loss)),
  },
  {
    name: 'causeway_uplink_tcp_retransmitted_ratio',
    help: "Bytes that TCP bound to the uplink's source sent again, of those it sent, in the last minute; absent where it sent little.",
    labels: perFamily,
    rows: ofPlaces(({ labels, family }) => labelled(labels, family.traffic?.retransmittedRatio ?? null)),
  },
  {
    name: 'causeway_uplink_rtt_p50_seconds',
    help: "Median round trip in the verdict's window.",
    labels: perFamily,
    rows: ofPlaces(({ labels, family }) => labelled(labels, seconds(family.evidence.rttP50Millis))),
  },
  {
    name: 'causeway_uplink_rtt_p95_seconds',
    help: "95th percentile of round trips in the verdict's window.",
    labels: perFamily,
    rows: ofPlaces(({ labels, family }) => labelled(labels, seconds(family.evidence.rttP95Millis))),
  },
  {
    name: 'causeway_uplink_jitter_seconds',
    help: 'Mean difference of successive round trips in the last minute.',
    labels: perFamily,
    rows: ofPlaces(({ labels, family }) =>
      labelled(labels, seconds(family.figures?.['1min'].jitterMillis ?? null)),
    ),
  },
  {
    name: 'causeway_uplink_bad_targets',
    help: "Targets whose own loss is above policy.loss.bad in the verdict's window.",
    labels: perFamily,
    rows: ofPlaces(({ labels, family }) => labelled(labels, family.evidence.badTargets)),
  },
  {
    name: 'causeway_session_established',
    help: 'Whether the BGP session of an uplink is established; absent where BIRD was not read.',
    labels: perFamily,
    rows: ofPlaces(({ labels, family: { session } }) =>
      labelled(labels, session.state === null ? null : Number(session.state === 'Established')),
    ),
  },
  {
    name: 'causeway_egress_wish_state',
    help: 'Whether routes learnt from an uplink are to be used: 1 for the state that is wished.',
    labels: [...perFamily, 'state'],
    rows: ofPlaces(({ labels, family: { egress } }) =>
      egress === undefined ? [] : stateSet(labels, egressState.options, egress.wish),
    ),
  },
  {
    name: 'causeway_region_health_state',
    help: 'The verdict about a region behind an uplink: 1 for the state that it has.',
    labels: [...perFamily, 'region', 'state'],
    rows: ofPlaces(({ labels, family }) =>
      Object.entries(family.regions).flatMap(([region, { health }]) =>
        stateSet({ ...labels, region }, healthState.options, health),
      ),
    ),
  },
  {
    name: 'causeway_targets',
    help: 'Targets of an uplink by the verdict about them.',
    labels: [...perFamily, 'state'],
    rows: ofPlaces(({ labels, family }) =>
      healthState.options.map((state) => ({
        labels: { ...labels, state },
        value: family.targets.filter(({ health }) => health === state).length,
      })),
    ),
  },
  {
    name: 'causeway_target_loss_ratio',
    help: `Share of lost probes of a target in the verdict's window; for the first ${targetsAtMost} targets of a node.`,
    labels: perTarget,
    rows: ofTargets((labels, { loss }) => labelled(labels, loss)),
  },
  {
    name: 'causeway_target_rtt_p95_seconds',
    help: `95th percentile of round trips of a target in the verdict's window; for the first ${targetsAtMost} targets of a node.`,
    labels: perTarget,
    rows: ofTargets((labels, { rttP95Millis }) => labelled(labels, seconds(rttP95Millis))),
  },
  {
    name: 'causeway_target_failed',
    help: `Whether the verdict about a target is failed; for the first ${targetsAtMost} targets of a node.`,
    labels: perTarget,
    rows: ofTargets((labels, { health }) => labelled(labels, Number(health === 'failed'))),
  },
];

/** Each uplink in each family, in the order of the config. */
function placesOf({ uplinks }: StatusDocument): readonly Place[] {
  return uplinks.flatMap((uplink) =>
    Object.entries(uplink.families).flatMap(([name, family]) =>
      family === undefined ? [] : [{ uplink, family, labels: { uplink: uplink.uplink, family: name } }],
    ),
  );
}

function ofPlaces(rows: (place: Place) => readonly GaugeRow[]): StatusGauge['rows'] {
  return (document) => placesOf(document).flatMap(rows);
}

function ofTargets(
  row: (labels: Readonly<Record<string, string>>, target: TargetStatus) => readonly GaugeRow[],
): StatusGauge['rows'] {
  return (document) =>
    placesOf(document)
      .flatMap(({ labels, family }) =>
        family.targets.map((target) => ({
          target,
          labels: { ...labels, region: target.region, target: target.name },
        })),
      )
      .slice(0, targetsAtMost)
      .flatMap(({ labels, target }) => row(labels, target));
}

/** Rounded to a nanosecond, so that 12.3 ms is 0.0123 s. */
export function seconds(millis: number | null): number | null {
  return millis === null ? null : Number((millis / 1000).toFixed(9));
}
