/** Beacons: what is counted of them, what bounds them, and that nothing of an address stays. */
import { describe, expect, test } from 'vitest';
import { parseAddress } from '../../geodns/address.ts';
import { geoLookup, mmdbOf } from '../../geodns/mmdb/geo.ts';
import { beaconBatch } from '../../geodns/steering/beacon.ts';
import { Collector, defaultBounds } from '../../geodns/steering/collector.ts';
import { rumConfig } from '../../geodns/steering/config.ts';
import {
  bucketOf,
  emptyHistogram,
  failureMillis,
  failureShare,
  millisOf,
  quantileMillis,
} from '../../geodns/steering/histogram.ts';
import { type Fate, type From, Intake } from '../../geodns/steering/intake.ts';
import { ruleOf, segmentOfFacts } from '../../geodns/steering/segment.ts';
import { worldMmdbs } from '../../lab/geodns/world.ts';
import { labNetworks, labRules, policyOf } from '../support/geodns.ts';
import { segmentOf } from '../support/steering-world.ts';

describe('the histogram', () => {
  test.each([1, 7.3, 42, 180, 950, 7000])('keeps %d ms within 4 percent', (millis) => {
    expect(Math.abs(millisOf(bucketOf(millis)) / millis - 1)).toBeLessThan(0.041);
  });

  test('counts a failure as slower than every answer', () => {
    const histogram = emptyHistogram();
    for (const rtt of [50, 50, 50, null]) {
      const bucket = bucketOf(rtt);
      histogram[bucket] = (histogram[bucket] ?? 0) + 1;
    }
    expect(quantileMillis(histogram, 0.5)).toBeCloseTo(50, -1);
    expect(quantileMillis(histogram, 0.9)).toBe(failureMillis);
    expect(failureShare(histogram)).toBe(0.25);
  });

  test('has no quantile of nothing', () => {
    expect(quantileMillis(emptyHistogram(), 0.5)).toBeNaN();
  });
});

describe('the collector', () => {
  const one = (source: string, asn = 1): Parameters<Collector['add']>[0] => ({
    segment: segmentOf(asn),
    carrier: 'cmi',
    rttMillis: 50,
    source,
  });

  test('hears one network a few times in a slot, and again in the next', () => {
    const collector = new Collector();
    const fates = Array.from({ length: 8 }, () => collector.add(one('a'), 0));
    expect(fates.filter((fate) => fate === 'counted')).toHaveLength(defaultBounds.perSource);
    expect(fates.at(-1)).toBe('capped');
    expect(collector.add(one('a'), defaultBounds.slotMillis)).toBe('counted');
  });

  test('is full at its bounds, and has room again in the next slot', () => {
    const collector = new Collector({ ...defaultBounds, mostCells: 2, mostSources: 3 });
    expect([1, 2, 3].map((asn) => collector.add(one('a', asn), 0))).toEqual(['counted', 'counted', 'full']);
    expect(['b', 'c'].map((source) => collector.add(one(source), 0))).toEqual(['counted', 'full']);
    expect(collector.add(one('a', 3), defaultBounds.slotMillis)).toBe('counted');
  });

  test('forgets after its slots, and not before', () => {
    const collector = new Collector();
    collector.add(one('a'), 0);
    const { slotMillis, slots } = defaultBounds;
    expect(collector.evidence((slots - 1) * slotMillis)).toHaveLength(1);
    expect(collector.evidence(slots * slotMillis)).toHaveLength(0);
  });
});

const world = worldMmdbs();
const lookup = geoLookup(mmdbOf('asn', world.asn, 'asn'), mmdbOf('country', world.country, 'country'));
const parts = { rules: labRules, networks: labNetworks, lookup };
const browser = (text: string): From => {
  const address = parseAddress(text);
  if (address === undefined) throw new Error(text);
  return { kind: 'browser', address };
};
const batch = (count: number, more: Record<string, unknown> = {}): ReturnType<typeof beaconBatch.parse> =>
  beaconBatch.parse({
    schema: 1,
    beacons: Array.from({ length: count }, () => ({ carrier: 'cmi', ok: true, rttMillis: 40, ...more })),
  });

function intake(config: Record<string, unknown> = {}): { intake: Intake; collector: Collector } {
  const collector = new Collector();
  return {
    collector,
    intake: new Intake(
      rumConfig.parse(config),
      collector,
      () => parts,
      () => undefined,
      () => 0.5,
    ),
  };
}
const countOf = (fates: readonly Fate[], wanted: Fate): number =>
  fates.filter((fate) => fate === wanted).length;

describe('the intake', () => {
  test('judges a browser by its address, whatever it says of itself, and keeps nothing of the address', () => {
    const { intake: own, collector } = intake();
    own.take(batch(1, { country: 'US', asn: 7922 }), browser('120.196.1.77'), 0);
    const [found] = collector.evidence(0);
    expect(found?.segment).toEqual({
      asn: 56_040,
      network: 'cm',
      country: 'CN',
      subdivision: 'CN-GD',
      continent: 'AS',
    });
    expect(JSON.stringify([...Reflect.get(collector, 'said').keys()])).not.toContain('120.196');
  });

  test('believes an edge about its users', () => {
    const { intake: own, collector } = intake();
    own.take(batch(1, { country: 'MY', asn: 4788, source: 'abcd' }), { kind: 'edge', name: 'edge-hk1' }, 0);
    expect(collector.evidence(0)[0]?.segment).toMatchObject({ asn: 4788, country: 'MY', network: 'tmnet' });
  });

  test('limits a /24 and a /48, and no neighbour of theirs', () => {
    const { intake: own } = intake({ per_network: 10 });
    expect(countOf(own.take(batch(12), browser('120.196.1.1'), 0), 'limited')).toBe(2);
    expect(countOf(own.take(batch(1), browser('120.196.1.200'), 0), 'limited')).toBe(1);
    expect(countOf(own.take(batch(1), browser('120.196.2.1'), 0), 'limited')).toBe(0);
    own.take(batch(10), browser('2409:8000:1:1::1'), 0);
    expect(countOf(own.take(batch(1), browser('2409:8000:1:2::1'), 0), 'limited')).toBe(1);
    expect(countOf(own.take(batch(1), browser('2409:8000:2:1::1'), 0), 'limited')).toBe(0);
    expect(countOf(own.take(batch(1), browser('120.196.1.1'), 60_000), 'limited')).toBe(0);
  });

  test('counts a sample, and carriers of the rules alone', () => {
    const { intake: own } = intake({ sample: '40%' });
    expect(own.take(batch(1), browser('120.196.1.1'), 0)).toEqual(['sampled-out']);
    expect(own.take(batch(1, { carrier: 'nosuch' }), browser('120.196.1.1'), 0)).toEqual(['unknown-carrier']);
    expect(own.totals.get('sampled-out')).toBe(1);
  });

  test.each([
    { name: 'no beacon', body: { schema: 1, beacons: [] } },
    {
      name: 'too many',
      body: { schema: 1, beacons: Array.from({ length: 51 }, () => ({ carrier: 'cmi', ok: false })) },
    },
    { name: 'an answer without its time', body: { schema: 1, beacons: [{ carrier: 'cmi', ok: true }] } },
    {
      name: 'a failure with a time',
      body: { schema: 1, beacons: [{ carrier: 'cmi', ok: false, rttMillis: 1 }] },
    },
    {
      name: 'a time below nothing',
      body: { schema: 1, beacons: [{ carrier: 'cmi', ok: true, rttMillis: -1 }] },
    },
    { name: 'another version', body: { schema: 2, beacons: [{ carrier: 'cmi', ok: false }] } },
    {
      name: 'an address as its source',
      body: { schema: 1, beacons: [{ carrier: 'cmi', ok: false, source: '192.0.2.1' }] },
    },
  ])('refuses $name', ({ body }) => {
    expect(beaconBatch.safeParse(body).success).toBe(false);
  });
});

describe('the rule of a segment', () => {
  const cdn = policyOf(labRules, 'cdn');
  const facts = { asn: null, country: null, subdivision: null, continent: null };
  test.each([
    {
      name: 'South China Telecom',
      is: { asn: 4134, country: 'CN', subdivision: 'CN-GD', continent: 'AS' },
      rule: 2,
    },
    { name: 'China Mobile', is: { asn: 9808, country: 'CN' }, rule: 3 },
    { name: 'a country', is: { country: 'VN' }, rule: 7 },
    { name: 'nobody', is: {}, rule: 0 },
  ])('of $name is $rule', ({ is, rule }) => {
    expect(ruleOf(cdn, segmentOfFacts(labNetworks, { ...facts, ...is }))?.number ?? 0).toBe(rule);
  });
});
