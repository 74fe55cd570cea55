/** Wire messages of nodes → reports. */
import type { z } from 'zod';
import type { nodeState, uplinkState } from '../../src/types/wire/node-to-geodns.ts';
import type { Order } from '../../src/types/wire/common.ts';
import type { ToldState } from '../../src/types/wire/enums.ts';
import type { FamilyReport, Report } from '../decision/state.ts';

type UplinkBody = z.output<typeof nodeState>['uplinks'][string];
type FamilyBody = NonNullable<UplinkBody['families']['4']>;

export function reportOfUplink(message: z.output<typeof uplinkState>): Report {
  return reportOf(message, { epoch: message.epoch, seq: message.seq });
}

export function reportOf(body: UplinkBody, order: Order): Report {
  const { '4': v4, '6': v6 } = body.families;
  const { loss, rttP95Millis, targets } = body.evidence ?? {};
  return {
    carrier: body.carrier,
    families: {
      ...(v4 === undefined ? {} : { 4: familyOf(v4) }),
      ...(v6 === undefined ? {} : { 6: familyOf(v6) }),
    },
    order,
    held: body.held,
    reason: body.reason,
    evidence:
      body.evidence === undefined
        ? null
        : { loss: loss ?? null, rttP95Millis: rttP95Millis ?? null, targets: targets ?? null },
    expiresAtMillis: null,
  };
}

function familyOf(body: FamilyBody): FamilyReport {
  return { state: body.state, regions: body.regions ?? {}, services: body.services ?? {} };
}

/** One word about a whole uplink, as the compatible views say it. Without order: epoch 0, and it expires. */
export function plainReport(
  carrier: string,
  state: ToldState,
  reason: string,
  order: Order | null,
  expiresAtMillis: number | null,
): Report {
  const both: FamilyReport = { state, regions: {}, services: {} };
  return {
    carrier,
    families: { 4: both, 6: both },
    order: order ?? { epoch: 0, seq: 0 },
    held: null,
    reason,
    evidence: null,
    expiresAtMillis,
  };
}
