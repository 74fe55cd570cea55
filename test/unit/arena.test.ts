/** The arena's own honesty: what is left out of the years changes nothing, and the peers' rules are what they say. */
import { describe, expect, test } from 'vitest';
import { type Ambient, type Fault, makePath } from '../../bench/arena/path.ts';
import { randomOf } from '../../bench/arena/random.ts';
import { type CausewaySetting, causewayRule } from '../../bench/arena/rules/causeway.ts';
import { peerRules } from '../../bench/arena/rules/peers.ts';
import type { Rule, Ruling } from '../../bench/arena/rules/rule.ts';
import { defaultPace, defaultPolicy, oneRegion, tasksOf } from '../../bench/arena/settings.ts';

const hour = 3_600_000;
const well: Fault = () => 0;

function ruling(rule: Rule, ambient: Ambient, fault: Fault, seed: number, untilMillis: number): Ruling {
  const path = makePath(ambient, fault, seed);
  return rule.run({ path, random: randomOf(seed), untilMillis, stopFromMillis: Infinity });
}

function causeway(way: 'close' | 'far', spoiled: readonly number[] = []): Rule {
  const setting: CausewaySetting = {
    name: 'causeway',
    pinnedBy: '',
    policy: defaultPolicy,
    tasks: tasksOf(oneRegion, ['icmp'], defaultPace),
    spoiled,
    subject: 'uplink',
    way,
  };
  return causewayRule(setting);
}

describe('the far way of running our detector', () => {
  // Blackouts of 5 s every 17 min: some are long enough, most are not, and between them it is quiet.
  const harsh: Ambient = { kind: 'bursts', share: 0.005, meanMillis: 5000 };

  test('finds the same failures as the close one, at the same times', () => {
    for (let seed = 1; seed <= 2; seed += 1) {
      const close = ruling(causeway('close'), harsh, well, seed, 3 * hour);
      const far = ruling(causeway('far'), harsh, well, seed, 3 * hour);
      expect(close.failedAt.length).toBeGreaterThan(2);
      expect(far.failedAt.length).toBe(close.failedAt.length);
      far.failedAt.forEach((time, index) => {
        // Ten cells are judged at once.
        expect(Math.abs(time - (close.failedAt[index] ?? 0))).toBeLessThan(12_000);
      });
    }
  });

  test('finds the same failures beside a dead target', () => {
    const dead: Fault = ({ target }) => (target === 0 ? 1 : 0);
    const close = ruling(causeway('close', [0]), harsh, dead, 3, 3 * hour);
    const far = ruling(causeway('far', [0]), harsh, dead, 3, 3 * hour);
    expect(close.failedAt.length).toBeGreaterThan(2);
    expect(far.failedAt.length).toBe(close.failedAt.length);
  });
});

describe('a path', () => {
  const probe = (atMillis: number, target = 0) => ({ target, kind: 'icmp', atMillis }) as const;

  test.each<Ambient>([
    { kind: 'independent', share: 0.02 },
    { kind: 'bursts', share: 0.02, meanMillis: 250 },
  ])('loses the share that it is told, $kind', (ambient) => {
    const path = makePath(ambient, well, 1);
    let lost = 0;
    for (let turn = 0; turn < 400_000; turn += 1) if (path.loses(probe(turn * 50))) lost += 1;
    expect(lost / 400_000).toBeGreaterThan(0.017);
    expect(lost / 400_000).toBeLessThan(0.023);
  });

  test('has its blackouts at the same times however often a rule probes', () => {
    const ambient: Ambient = { kind: 'bursts', share: 0.05, meanMillis: 2000 };
    const slow = makePath(ambient, well, 9);
    const fast = makePath(ambient, well, 9);
    for (let at = 0; at < 600_000; at += 1000) {
      const quick = [0, 250, 500, 750].map((more) => fast.loses(probe(at + more)));
      expect(slow.loses(probe(at))).toBe(quick[0]);
    }
  });

  test('puts all echoes of a target on one of equal legs, and handshakes on both', () => {
    const half: Fault = (_, leg) => (leg < 0.5 ? 1 : 0);
    const path = makePath({ kind: 'independent', share: 0 }, half, 5);
    for (let target = 0; target < 8; target += 1) {
      const echoes = new Set([1, 2, 3, 4].map((at) => path.loses(probe(at, target))));
      expect(echoes.size).toBe(1);
    }
    const shakes = Array.from({ length: 40 }, (_, at) =>
      path.loses({ target: 0, kind: 'tcp', atMillis: at }),
    );
    expect(new Set(shakes).size).toBe(2);
  });
});

describe('a peer', () => {
  const from = 300_000;
  const delaysOf = (name: string, loss: number): readonly number[] =>
    Array.from({ length: 40 }, (_, seed) => {
      const rule = peerRules.find((one) => one.name === name);
      if (rule === undefined) throw new Error(name);
      const fault: Fault = ({ atMillis }) => (atMillis >= from ? loss : 0);
      const path = makePath({ kind: 'independent', share: 0 }, fault, seed);
      const run = { path, random: randomOf(seed), untilMillis: from + 300_000, stopFromMillis: from };
      return ((rule.run(run).failedAt[0] ?? Infinity) - from) / 1000;
    });

  // Least and most by the rule's own constants: the next check may begin at once or an interval later.
  test.each([
    // A check that is under way answers some of its pings and does not count: 5 to 15 s.
    { name: 'origin-script', least: 5, most: 15 },
    // More than 20 % of 120 probes: 26 lost ones (13 s), the last one 2 s old, and a look each second.
    { name: 'dpinger-rule', least: 14, most: 16 },
    // Five rounds of four pings that time out, and 10 s of sleep between them.
    { name: 'mwan3-rule', least: 5 * 16 + 4 * 10 - 1, most: 5 * 16 + 5 * 10 + 1 },
    { name: 'anycast-healthchecker-rule', least: 12, most: 22 },
    { name: 'keepalived-rule', least: 1, most: 2 },
  ])('$name finds a total loss within $least to $most s', ({ name, least, most }) => {
    const delays = delaysOf(name, 1);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(least - 0.05);
    expect(Math.max(...delays)).toBeLessThanOrEqual(most + 0.05);
  });

  test.each(peerRules.map(({ name }) => name))(
    '%s is quiet where nothing is lost, and ends its alarm',
    (name) => {
      expect(delaysOf(name, 0)).toEqual(Array.from({ length: 40 }, () => Infinity));
      const rule = peerRules.find((one) => one.name === name);
      const fault: Fault = ({ atMillis }) => (atMillis >= from && atMillis < 2 * from ? 1 : 0);
      const path = makePath({ kind: 'independent', share: 0 }, fault, 1);
      const run = { path, random: randomOf(1), untilMillis: 4 * from, stopFromMillis: Infinity };
      const result = rule?.run(run);
      expect(result?.failedAt).toHaveLength(1);
      expect(result?.failedMillis).toBeGreaterThan(from / 2);
      expect(result?.failedMillis).toBeLessThan(1.5 * from);
    },
  );
});
