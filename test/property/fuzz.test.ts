/** The corpus of every fuzz target, and a little more of each; 30 minutes each are `npm run fuzz -- TARGET --minutes 30`. */
import { describe, expect, test } from 'vitest';
import { fuzz, reportText } from '../fuzz/fuzz.ts';
import type { FuzzTarget } from '../fuzz/target.ts';
import { fuzzTargets } from '../fuzz/targets/all.ts';

describe('of any bytes come values and documented errors', () => {
  test.each(fuzzTargets.map((one) => [one.summary, one] as const))('%s', async (_summary, target) => {
    try {
      // The HTTP server has a test of its own with more kinds of clients (http-fuzz); here what was found before.
      const mostInputs = target.name === 'http' ? 0 : 2000;
      // The service behind the API has to be opened first.
      const mostMillis = target.name === 'geodns-http' ? 4000 : 400;
      const report = await fuzz(target, { seed: 20_261_130, mostMillis, mostInputs, keep: false });
      if (report.findings.length > 0) throw new Error(reportText(report));
      expect(report.inputs).toBeGreaterThanOrEqual(mostInputs === 0 ? 0 : 1);
    } finally {
      await target.close?.();
    }
  });
});

describe('a fuzzer', () => {
  const brittle: FuzzTarget = {
    name: 'brittle',
    summary: '',
    seeds: () => [Buffer.from('{"a":1}')],
    check(input) {
      if (input.includes(255)) throw new TypeError('a byte that nobody thought of');
      return null;
    },
  };

  test('finds what a reader does not stand', async () => {
    const report = await fuzz(brittle, { seed: 1, mostMillis: 30_000, mostInputs: 3000, keep: false });
    expect(report.findings).toHaveLength(1);
    expect(report.findings[0]?.text).toContain('nobody thought of');
  });
});
