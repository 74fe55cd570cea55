/** A run as a file: what `--script` replays and what a failing run is shrunk to. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { regions } from '../network/addresses.ts';
import { carrierNames, databaseRooms, fleetNodeNames } from '../network/names.ts';
import { operatorWords, redisTroubles } from './fault.ts';
import type { Planned } from './schedule.ts';
import { messageOf } from '../../src/types/message-of.ts';

export interface Script {
  readonly seed: number;
  readonly nodes: number;
  readonly durationMillis: number;
  readonly faults: readonly Planned[];
}

const node = z.enum(fleetNodeNames);
const uplink = { node, carrier: z.enum(carrierNames) };
const count = z.int().min(0).max(100_000);
const family = z.union([z.literal(4), z.literal(6)]);
const stopped = z.enum(['killed', 'halted']);
const fault = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('uplink-dead'),
    ...uplink,
    family: z.union([family, z.literal('both')]),
    direction: z.enum(['both', 'out', 'back']),
  }),
  z.strictObject({ kind: z.literal('carrier-dead'), carrier: z.enum(carrierNames) }),
  z.strictObject({ kind: z.literal('loss'), ...uplink, percent: z.number().min(0).max(100) }),
  z.strictObject({ kind: z.literal('bursts'), ...uplink, length: count, every: count }),
  z.strictObject({ kind: z.literal('delay'), ...uplink, millis: count, jitterMillis: count }),
  z.strictObject({ kind: z.literal('region-dead'), ...uplink, region: z.enum(regions) }),
  z.strictObject({ kind: z.literal('targets-dead'), count }),
  z.strictObject({ kind: z.literal('link-down'), ...uplink, end: z.enum(['node', 'carrier']) }),
  z.strictObject({ kind: z.literal('interface-deleted'), ...uplink }),
  z.strictObject({ kind: z.literal('bird'), node, what: z.enum(['killed', 'halted', 'configured']) }),
  z.strictObject({ kind: z.literal('daemon'), node, what: stopped }),
  z.strictObject({ kind: z.literal('prober'), node, what: stopped }),
  z.strictObject({ kind: z.literal('service'), node }),
  z.strictObject({ kind: z.literal('edge'), node }),
  z.strictObject({ kind: z.literal('redis'), what: z.enum(redisTroubles) }),
  z.strictObject({ kind: z.literal('management'), node }),
  z.strictObject({ kind: z.literal('dns-site'), site: z.enum(databaseRooms), what: stopped }),
  z.strictObject({ kind: z.literal('geodns'), what: stopped }),
  z.strictObject({ kind: z.literal('clock'), node, seconds: z.int() }),
  z.strictObject({ kind: z.literal('disk-full'), node }),
  z.strictObject({ kind: z.literal('conntrack-full'), node }),
  z.strictObject({ kind: z.literal('operator'), ...uplink, word: z.enum(operatorWords) }),
  z.strictObject({ kind: z.literal('hand'), ...uplink, family }),
]);

const millis = z.int().min(0).max(86_400_000);
const scriptFile = z.strictObject({
  seed: z.int(),
  nodes: z.int().min(2).max(5),
  durationMillis: millis,
  faults: z.array(z.strictObject({ startMillis: millis, lastsMillis: millis, fault })).readonly(),
});

/** Throws a RangeError that names file, place and what is wrong. */
export function readScript(path: string): Script {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new RangeError(`${path}: ${messageOf(error)}`, {
      cause: error,
    });
  }
  const parsed = scriptFile.safeParse(value);
  if (parsed.success) return parsed.data;
  const [first] = parsed.error.issues;
  throw new RangeError(`${path}: ${first?.path.join('.') ?? ''}: ${first?.message ?? 'is no script'}`);
}

/** One fault a line, so that it can be edited by hand. */
export function scriptText({ seed, nodes, durationMillis, faults }: Script): string {
  const lines = faults.map((one) => `    ${JSON.stringify(one)}`);
  return `{ "seed": ${seed}, "nodes": ${nodes}, "durationMillis": ${durationMillis},\n  "faults": [\n${lines.join(',\n')}\n  ] }\n`;
}
