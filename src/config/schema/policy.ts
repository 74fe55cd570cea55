/** `policy`: what counts as good, bad and recovered. */
import { z } from 'zod';
import { choice, decimal, duration, percent, rate, surplus, wholeNumber, yesOrNo } from '../fields.ts';
import { section } from '../section.ts';
import { policyProbeSchema } from './probe.ts';

const day = 86_400_000;

const lossSchema = section('policy.loss', 'Share of lost probes.', {
  good: percent('The worst that is normal here.', { min: 0, max: 0.5 }).prefault('0.5%'),
  bad: percent('Loss at which to act.', { min: 0.001, max: 1 }).prefault('5%'),
}).prefault({});

const latencySchema = section('policy.latency', 'Round trip times.', {
  bad: duration('Round trips above this are slow.', { min: 1, max: 5000 }).prefault('300ms'),
  baseline: surplus(
    'Round trips above what is usual for the target by more than this are slow, too; learnt within a minute.',
    { min: 0.1, max: 100 },
  ).optional(),
}).prefault({});

const jitterSchema = section('policy.jitter', 'Differences of successive round trips (RFC 3393).', {
  bad: duration('Differences above this are jitter.', { min: 1, max: 5000 }).optional(),
  baseline: surplus('Differences above the usual one by more than this are jitter.', {
    min: 0.5,
    max: 100,
  }).optional(),
});

const regionsSchema = section('policy.regions', 'What failed regions mean for the uplink.', {
  share: percent('Weighted share of failed regions that makes the uplink itself failed.', {
    min: 0.01,
    max: 1,
  }).prefault('50%'),
  weights: z
    .record(z.string(), decimal('Weight of the region; 1 where none is given.', { min: 0.01, max: 1000 }), {
      error: 'a mapping from regions to weights, such as { ID: 2 }',
    })
    .meta({ description: 'Weight of a region, by its name; 1 where none is given.' })
    .prefault({}),
}).prefault({});

const recoverySchema = section('policy.recovery', 'When a failed uplink is trusted again.', {
  clean: duration('How long it must measure clean.', { min: 1000, max: day }).prefault('60s'),
  hold: duration('How long it is then still held back; doubles with each flap.', {
    min: 0,
    max: day,
  }).prefault('60s'),
  max_hold: duration('The longest that the hold grows to.', { min: 0, max: 7 * day }).prefault('1h'),
  canary: choice(
    'drain: a return is drained for recovery.clean first, where the flap budget has room; off: it returns fully.',
    ['drain', 'off'],
  ).prefault('drain'),
}).prefault({});

const drainSchema = section('policy.drain', 'How a drained announcement is made unattractive.', {
  med: wholeNumber('MED of a drained announcement.', { min: 0, max: 4_294_967_295 }).prefault(65_000),
  prepend: wholeNumber('How often our AS number is put in front.', { min: 0, max: 8 }).prefault(3),
  gshut: yesOrNo('Whether GRACEFUL_SHUTDOWN (RFC 8326) is added.').prefault(true),
}).prefault({});

export const policySchema = section('policy', 'What counts as good, bad and recovered.', {
  probe: policyProbeSchema,
  loss: lossSchema,
  latency: latencySchema,
  jitter: jitterSchema
    .refine(({ bad, baseline }) => bad !== undefined || baseline !== undefined, {
      error: 'bad or baseline, or both',
    })
    .optional(),
  rule: choice(
    'sequential: the least delay for the budget of false alarms; window: more than loss.bad of the last probes is a fault.',
    ['sequential', 'window'],
  ).prefault('sequential'),
  window: wholeNumber('With rule: window, how many probes of a target, region or uplink are looked at.', {
    min: 10,
    max: 100_000,
  }).prefault(200),
  patience: duration('Bad seconds that it takes, however certain a fault is; 0 judges every probe at once.', {
    min: 0,
    max: 600_000,
  }).prefault('5s'),
  false_alarms: rate('Budget of false alarms for each uplink and family; thresholds follow from it.', {
    min: 3_600_000,
    max: 1000 * 365 * day,
  }).prefault('1/10y'),
  regions: regionsSchema,
  recovery: recoverySchema,
  drain: drainSchema,
  tie_families: yesOrNo(
    "Whether IPv4 and IPv6 of an uplink move together; a family without targets then borrows the other's verdict.",
  ).prefault(false),
}).prefault({});
