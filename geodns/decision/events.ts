/** State events as they come out of the journal: JSON from a disk, so checked like any other foreign text. */
import { z } from 'zod';
import { epoch, seq } from '../../src/types/wire/common.ts';
import { family, guard, toldState } from '../../src/types/wire/enums.ts';
import type { StateEvent } from './state.ts';

const millis = z.number().min(0);
const familyReport = z.object({
  state: toldState,
  regions: z.record(z.string(), toldState),
  services: z.record(z.string(), toldState),
});
const record = z.object({
  target: z.string(),
  carrier: z.string(),
  families: z.object({ 4: familyReport.optional(), 6: familyReport.optional() }),
  order: z.object({ epoch, seq }),
  held: guard.nullable(),
  reason: z.string(),
  evidence: z.record(z.string(), z.number().nullable()).nullable(),
  expiresAtMillis: millis.nullable(),
  receivedAtMillis: millis,
  changedAtMillis: z.record(z.string(), millis),
});
const override = z.object({
  glob: z.string(),
  family: family.nullable(),
  state: toldState,
  untilMillis: millis,
  author: z.string(),
  reason: z.string(),
});
const poolNames = z.array(z.string());
const steeredRule = z.object({
  policy: z.string(),
  rule: z.int().min(0),
  base: poolNames,
  asked: z.string(),
  order: poolNames,
  atMillis: millis,
  untilMillis: millis,
  share: z.number().min(0).max(1),
  author: z.string(),
  reason: z.string(),
  blockedUntilMillis: millis,
  left: z.array(z.object({ pool: z.string(), atMillis: millis })),
});
const freeze = z.object({ author: z.string(), reason: z.string(), atMillis: millis });
const stateEvent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('report'), record }),
  z.object({ kind: z.literal('override'), override, atMillis: millis }),
  z.object({
    kind: z.literal('release'),
    glob: z.string(),
    family: family.nullable(),
    author: z.string(),
    atMillis: millis,
  }),
  z.object({ kind: z.literal('steer'), entry: steeredRule, atMillis: millis }),
  z.object({ kind: z.literal('freeze'), freeze: freeze.nullable(), author: z.string(), atMillis: millis }),
  z.object({ kind: z.literal('revision'), revision: z.int().min(0), atMillis: millis, text: z.string() }),
]);

/** undefined: not an event of this version; the reader counts it and goes on. */
export function parseEvent(entry: unknown): StateEvent | undefined {
  const parsed = stateEvent.safeParse(entry);
  if (!parsed.success) return undefined;
  const event = parsed.data;
  if (event.kind !== 'report') return event;
  const { families, ...rest } = event.record;
  return {
    kind: 'report',
    record: {
      ...rest,
      families: {
        ...(families[4] === undefined ? {} : { 4: families[4] }),
        ...(families[6] === undefined ? {} : { 6: families[6] }),
      },
    },
  };
}
