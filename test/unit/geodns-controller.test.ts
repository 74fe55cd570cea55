/** Measured steering as a whole, on simulated populations; hundreds of them in test/full/geodns-controller.test.ts. */
import { describe, expect, test } from 'vitest';
import { Collector, type Evidence } from '../../geodns/steering/collector.ts';
import { entryFor, propose, renewals, type SteeringView } from '../../geodns/steering/controller.ts';
import { type SteeredRule, steeredPools, steeringKey } from '../../geodns/steering/entry.ts';
import {
  defaults,
  gained,
  live,
  normal,
  type Move,
  populationOf,
  randomOf,
  rulesWith,
  segmentOf,
  type Story,
} from '../support/steering-world.ts';

const plan = { hours: 6, beacons: 2200 };
const hour = 3_600_000;

/** Users moved within any hour, at most. */
function greatestStep(moves: readonly Move[]): number {
  return Math.max(
    0,
    ...moves.map(({ atMillis }) =>
      moves
        .filter((one) => one.atMillis <= atMillis && one.atMillis > atMillis - hour)
        .reduce((sum, { share }) => sum + share, 0),
    ),
  );
}

describe('populations with known best choices', () => {
  test('nearly all of the possible gain is reached, in steps, and none is taken back', () => {
    const stories = [1, 2].map((seed) =>
      live(populationOf(randomOf(seed), 12), { ...plan, hours: 9 }, randomOf(seed + 100)),
    );
    expect(gained(stories)).toBeGreaterThan(0.95);
    for (const { moves, worstHarm } of stories) {
      expect(greatestStep(moves)).toBeLessThanOrEqual(defaults.stepShare);
      expect(worstHarm).toBe(0);
      // No rule comes back to a pool that it left.
      const firsts = moves.map(({ rule, to }) => `${rule} ${to[0]}`);
      expect(new Set(firsts).size).toBe(firsts.length);
    }
  });

  test('a fifth of false beacons, spread over all, moves nobody the wrong way', () => {
    const story = live(populationOf(randomOf(4), 12), { ...plan, poison: 0.2 }, randomOf(104));
    expect(story.worstHarm).toBe(0);
    expect(story.last).toBeLessThanOrEqual(story.first);
  });

  test('a fifth of false beacons, all about a few rules, moves no more users than the bounds say', () => {
    const limits = { ...defaults, totalShare: 0.25 };
    const aim = ({ rule }: { rule: number }): boolean => rule <= 4;
    const story = live(populationOf(randomOf(5), 12), { ...plan, poison: 0.2, aim, limits }, randomOf(105));
    expect(story.worstHarm).toBeLessThanOrEqual(limits.totalShare);
    expect(greatestStep(story.moves)).toBeLessThanOrEqual(limits.stepShare);
  });

  test('carriers that slow down under load are not swapped to and fro', () => {
    const limits = { ...defaults, stepShare: 0.5 };
    const loaded = { hours: 8, beacons: 1200, congestion: 3 };
    const run = (reverseMillis: number): Story =>
      live(
        populationOf(randomOf(6), 5, 0.02),
        { ...loaded, limits: { ...limits, reverseMillis } },
        randomOf(106),
      );
    const again = ({ moves }: Story): number =>
      moves.length - new Set(moves.map(({ rule, to }) => `${rule} ${to[0]}`)).size;
    const story = run(defaults.reverseMillis);
    expect(again(story)).toBe(0);
    expect(story.last).toBeLessThan(story.first);
    // They would be, if what was left might be taken again at once.
    expect(again(run(0))).toBeGreaterThan(4);
  });
});

const rules = rulesWith([
  '      - { asns: [64600], use: [cmi, pccw, hkbn], note: far }',
  '      - { asns: [64601], use: [pccw, cmi] }',
]);

/** `count` equal beacons from as many networks. */
function evidenceOf(
  asn: number,
  times: Readonly<Record<string, number | null>>,
  count = 200,
): readonly Evidence[] {
  const collector = new Collector();
  for (const [carrier, rttMillis] of Object.entries(times))
    for (let one = 0; one < count; one += 1)
      collector.add({ segment: segmentOf(asn), carrier, rttMillis, source: `s${one}` }, 0);
  return collector.evidence(0);
}

const view = (more: Partial<SteeringView> = {}): SteeringView => ({
  rules,
  steering: new Map(),
  frozen: false,
  nowMillis: 10 * hour,
  ...more,
});
const whole = { ...defaults, stepShare: 1 };
const far = evidenceOf(64_600, { cmi: 120, pccw: 60, hkbn: 110 });
const steered = (entry: SteeredRule): ReadonlyMap<string, SteeredRule> =>
  new Map([[steeringKey(entry), entry]]);

/** The entry that the first proposal makes at `nowMillis`. */
function entryAt(nowMillis: number): SteeredRule {
  const at = view({ nowMillis });
  const [proposal] = propose(at, far, whole);
  const entry = proposal === undefined ? null : entryFor(at, proposal, 'controller', whole);
  if (entry === null) throw new Error('nothing is proposed');
  return entry;
}

describe('a proposal', () => {
  test('puts the clearly faster pool first and leaves the others as they stand', () => {
    expect(propose(view(), far, whole)).toMatchObject([
      { policy: 'cdn', rule: 1, from: ['cmi', 'pccw', 'hkbn'], to: ['pccw', 'cmi', 'hkbn'], held: null },
    ]);
  });

  test.each([
    { name: 'a difference of a few percent', times: { cmi: 60, pccw: 58 }, count: 200 },
    { name: 'too few beacons', times: { cmi: 120, pccw: 60 }, count: 60 },
    { name: 'a faster pool that fails', times: { cmi: 120, pccw: null }, count: 200 },
    { name: 'one pool alone', times: { cmi: 120 }, count: 200 },
  ])('is not made for $name', ({ times, count }) => {
    expect(propose(view(), evidenceOf(64_600, times, count), whole)).toEqual([]);
  });

  test('is made for a pool that fails clearly less', () => {
    const collector = new Collector();
    for (let one = 0; one < 400; one += 1)
      for (const carrier of ['cmi', 'pccw'])
        collector.add(
          {
            segment: segmentOf(64_600),
            carrier,
            rttMillis: carrier === 'cmi' && one % 5 < 2 ? null : 60,
            source: `s${one}`,
          },
          0,
        );
    expect(propose(view(), collector.evidence(0), whole)).toMatchObject([{ to: ['pccw', 'cmi', 'hkbn'] }]);
  });

  test('is never made by few networks, however much they send', () => {
    const collector = new Collector();
    for (const carrier of ['cmi', 'pccw'])
      for (let one = 0; one < 5000; one += 1)
        collector.add(
          {
            segment: segmentOf(64_600),
            carrier,
            rttMillis: carrier === 'cmi' ? 120 : 60,
            source: `s${one % 15}`,
          },
          0,
        );
    expect(propose(view(), collector.evidence(0), whole)).toEqual([]);
  });

  test('is not made by a fifth of liars where medians would be', () => {
    const random = randomOf(7);
    const collector = new Collector();
    for (let one = 0; one < 4000; one += 1)
      for (const [carrier, middle] of [
        ['cmi', 60],
        ['pccw', 66],
      ] as const) {
        const honest = middle * Math.exp(0.6 * normal(random));
        const lie = carrier === 'cmi' ? null : 1;
        const rttMillis = one % 5 === 0 ? lie : honest;
        collector.add({ segment: segmentOf(64_600), carrier, rttMillis, source: `s${one}` }, 0);
      }
    const evidence = collector.evidence(0);
    expect(propose(view(), evidence, whole)).toEqual([]);
    expect(propose(view(), evidence, { ...whole, distrust: 0 })).toMatchObject([
      { to: ['pccw', 'cmi', 'hkbn'] },
    ]);
  });

  test('is not made for a pool of which one carrier is not measured', () => {
    const mixed = rulesWith(
      ['      - { asns: [64600], use: [cmi, both] }'],
      ['  both: { targets: ["*/pccw", "*/hkbn"] }'],
    );
    const of = (times: Record<string, number>): readonly unknown[] =>
      propose(view({ rules: mixed }), evidenceOf(64_600, times), whole);
    expect(of({ cmi: 120, pccw: 60 })).toEqual([]);
    expect(of({ cmi: 120, pccw: 60, hkbn: 62 })).toMatchObject([{ to: ['both', 'cmi'] }]);
  });

  test('names no pool that the rule does not use', () => {
    expect(propose(view(), evidenceOf(64_601, { pccw: 120, cmi: 119, hkbn: 20 }), whole)).toEqual([]);
  });

  test.each([
    { by: 'shadow', more: {}, limits: { ...whole, mode: 'shadow' as const } },
    { by: 'frozen', more: { frozen: true }, limits: whole },
    { by: 'step', more: {}, limits: { ...whole, stepShare: 0.5 } },
    { by: 'total', more: {}, limits: { ...whole, totalShare: 0.5 } },
    {
      by: 'settling',
      more: { steering: steered({ ...entryAt(9.5 * hour), order: ['cmi', 'pccw', 'hkbn'], share: 0 }) },
      limits: whole,
    },
    {
      by: 'reversal',
      more: {
        steering: steered({
          ...entryAt(0),
          order: ['cmi', 'pccw', 'hkbn'],
          left: [{ pool: 'pccw', atMillis: 2 * hour }],
        }),
      },
      limits: whole,
    },
    {
      by: 'blocked',
      more: {
        steering: steered({ ...entryAt(0), order: ['cmi', 'pccw', 'hkbn'], blockedUntilMillis: 11 * hour }),
      },
      limits: whole,
    },
  ])('is held by $by', ({ by, more, limits }) => {
    expect(propose(view(more), far, limits)).toMatchObject([{ rule: 1, held: by }]);
  });
});

describe('what was steered', () => {
  const [policy] = rules.policies.values();
  const [rule] = policy?.rules ?? [];
  const orderAt = (entry: SteeredRule, nowMillis: number, from = rules): readonly string[] => {
    const [own] = from.policies.values();
    if (own === undefined) throw new Error('no policy');
    return steeredPools(steered(entry), nowMillis, own, own.rules[0] ?? null).map(({ name }) => name);
  };

  test('acts until its end, and then the written order does again', () => {
    const entry = entryAt(0);
    expect(orderAt(entry, hour)).toEqual(['pccw', 'cmi', 'hkbn']);
    expect(orderAt(entry, entry.untilMillis)).toEqual(rule?.use.map(({ name }) => name));
  });

  test('does not act on a rule that has other users or pools now', () => {
    const others = rulesWith(['      - { asns: [64699], use: [cmi, pccw, hkbn] }']);
    expect(orderAt(entryAt(0), hour, others)).toEqual(['cmi', 'pccw', 'hkbn']);
    const fewer = rulesWith(['      - { asns: [64600], use: [cmi, pccw] }']);
    expect(orderAt(entryAt(0), hour, fewer)).toEqual(['cmi', 'pccw']);
  });

  test('is prolonged while evidence goes on, and ends by itself when beacons end', () => {
    const entry = entryAt(0);
    const late = entry.untilMillis - hour;
    expect(renewals(view({ steering: steered(entry), nowMillis: late }), far, whole)).toMatchObject([
      { untilMillis: late + whole.lifeMillis },
    ]);
    expect(renewals(view({ steering: steered(entry), nowMillis: late }), [], whole)).toEqual([]);
  });
});
