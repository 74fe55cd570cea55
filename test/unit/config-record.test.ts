/** `record` and `shadow` in the config. */
import { describe, expect, test } from 'vitest';
import { explainConfig } from '../../src/config/explain.ts';
import { readConfig } from '../../src/config/read.ts';
import { formatSize, parseSize } from '../../src/config/size.ts';
import type { NodeConfig } from '../../src/types/config.ts';
import { sample } from './config-sample.ts';

function configOf(text: string): NodeConfig {
  const read = readConfig('c.yaml', text);
  if (read.kind === 'bad') throw new Error(read.problems.map((one) => one.text).join('\n'));
  return read.config;
}

function problemsOf(text: string): string {
  const read = readConfig('c.yaml', text);
  return read.kind === 'ok' ? '' : read.problems.map((one) => one.text).join('\n');
}

describe('record and shadow', () => {
  test('are off where the config says nothing', () => {
    expect(configOf(sample)).toMatchObject({ record: null, shadow: null });
  });

  test('are read, and printed so that they load again', () => {
    const text = `${sample}record: { size: 64MB }\nshadow: { policy: { patience: 2s } }\n`;
    const config = configOf(text);
    expect(config.record).toEqual({ sizeBytes: 64_000_000 });
    expect(config.shadow?.policy).toMatchObject({ patienceMillis: 2000, loss: { bad: 0.05 } });
    expect(configOf(explainConfig(config))).toEqual(config);
  });

  test('a size without a unit, or out of bounds, is refused at its place', () => {
    const line = sample.split('\n').length;
    for (const size of ['64', '1kB', '5TB', '"64 MB"']) {
      const said = problemsOf(`${sample}record: { size: ${size} }\n`);
      expect(said).toContain(`c.yaml:${line}:17: record.size: `);
      expect(said).toContain('a size from 1MB to 1000GB: a whole number with kB, MB or GB, such as 64MB');
    }
  });

  test('a shadow without a policy is refused', () => {
    const line = sample.split('\n').length;
    expect(problemsOf(`${sample}shadow: {}\n`)).toContain(`c.yaml:${line}:9: shadow.policy: `);
    expect(problemsOf(`${sample}shadow: { policies: {} }\n`)).toContain('the unknown key "policies"');
  });
});

test.each([1000, 64_000_000, 1e9, 1_234_000])('a size of %i bytes is printed as it is read', (bytes) => {
  expect(parseSize(formatSize(bytes), { min: 1000, max: 1e12 })).toEqual({ kind: 'ok', value: bytes });
});
