/** node -> GeoDNS. `PUT /v1/nodes/:node/uplinks/:uplink` carries one uplink; the heartbeat `…/state` all of them. */
import { z } from 'zod';
import { epoch, schemaVersion, seq, wallTime, wireName } from './common.ts';
import { guard, toldState } from './enums.ts';

const familyState = z.object({
  state: toldState,
  regions: z.record(z.string(), toldState).optional(),
  services: z.record(wireName, toldState).optional(),
});

export const evidence = z.object({
  loss: z.number().min(0).max(1).nullable().optional(),
  rttP95Millis: z.number().min(0).nullable().optional(),
  targets: z.int().min(0).optional(),
});

const uplinkBody = {
  carrier: wireName,
  families: z.object({ '4': familyState.optional(), '6': familyState.optional() }),
  held: guard.nullable(),
  reason: z.string().max(500),
  evidence: evidence.optional(),
};

/** One uplink's state. */
export const uplinkState = z.object({ schema: schemaVersion, ...uplinkBody, epoch, seq, at: wallTime });
export type UplinkStateMessage = z.infer<typeof uplinkState>;

/** The heartbeat: every uplink of the node under one (epoch, seq). */
export const nodeState = z.object({
  schema: schemaVersion,
  node: wireName,
  uplinks: z.record(wireName, z.object(uplinkBody)),
  /** Frozen by an operator, alone or with the fleet: GeoDNS changes nothing by itself then. */
  frozen: z.boolean().optional(),
  epoch,
  seq,
  at: wallTime,
});
export type NodeStateMessage = z.infer<typeof nodeState>;

/** The body of a 409: the receiver holds something newer; the sender goes above it. */
export const staleAnswer = z.object({ epoch, seq });
export type StaleAnswer = z.infer<typeof staleAnswer>;
