/** One target for as long as `npm run fuzz` was told; what it finds is printed and kept in the corpus. */
import { appendFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fuzz, reportText } from './fuzz.ts';
import { fuzzTargets } from './targets/all.ts';

const wanted = process.env['CAUSEWAY_FUZZ_TARGET'] ?? '';
const minutes = Number(process.env['CAUSEWAY_FUZZ_MINUTES'] ?? '1');
const seed = Number(process.env['CAUSEWAY_FUZZ_SEED'] ?? '1');
/** File that gets each report as a line of JSON. */
const reports = process.env['CAUSEWAY_FUZZ_REPORTS'];

test.each(
  fuzzTargets
    .filter(({ name }) => wanted === 'all' || name === wanted)
    .map((one) => [one.name, one] as const),
)(
  '%s: of any bytes come values and documented errors',
  async (_name, target) => {
    try {
      const report = await fuzz(target, {
        seed,
        mostMillis: minutes * 60_000,
        mostInputs: Number.POSITIVE_INFINITY,
      });
      process.stdout.write(`${reportText(report)}\n`);
      if (reports !== undefined) appendFileSync(reports, `${JSON.stringify(report)}\n`);
      expect(report.findings.map(({ text }) => text)).toEqual([]);
    } finally {
      await target.close?.();
    }
  },
  minutes * 60_000 + 60_000,
);
