/** The keys of planned work: on_stop, maintenance and the token of the HTTP endpoint. */
import { describe, expect, test } from 'vitest';
import { explainConfig } from '../../src/config/explain.ts';
import { readConfig } from '../../src/config/read.ts';
import type { NodeConfig } from '../../src/types/config.ts';
import { problemsOf, sample } from './config-sample.ts';

function configOf(more: string): NodeConfig {
  const result = readConfig('causeway.yaml', `${sample}${more}\n`);
  if (result.kind === 'bad') throw new Error(result.problems.map(({ text }) => text).join('\n'));
  return result.config;
}

const window = (changes: string) => {
  const base: Record<string, string> = {
    uplink: 'cmi',
    cron: '"0 3 * * 2"',
    timezone: 'Asia/Hong_Kong',
    duration: '2h',
    reason: '"carrier window"',
  };
  const [key = '', value = ''] = changes.split('=');
  if (key !== '') base[key] = value;
  const text = Object.entries(base)
    .map(([name, one]) => `${name}: ${one}`)
    .join(', ');
  return `maintenance: [ { ${text} } ]`;
};

describe('on_stop', () => {
  test.each([
    ['on_stop: keep', 'keep', 60_000],
    ['on_stop: withdraw', 'withdraw', 60_000],
    ['on_stop: { do: drain }', 'drain', 60_000],
    ['on_stop: { do: drain, deadline: 90s }', 'drain', 90_000],
  ])('%s', (text, what, deadlineMillis) => {
    expect(configOf(text).onStop).toEqual({ do: what, deadlineMillis });
  });

  test.each([
    ['on_stop: stay', 'on_stop: found "stay", allowed: keep, drain or withdraw; or a mapping'],
    ['on_stop: { do: stay }', 'on_stop.do: found "stay", allowed: keep, drain or withdraw'],
    ['on_stop: { deadline: 5s }', 'allowed: keep, drain or withdraw'],
    ['on_stop: { do: drain, deadline: 5 }', 'on_stop.deadline: found 5, allowed: a duration from 1s to 1h'],
    ['on_stop: { do: drain, until: 5s }', 'allowed: one of the keys do, deadline'],
  ])('%s is refused', (text, says) => {
    const [line = ''] = problemsOf(`${sample}${text}\n`);
    expect(line).toContain(says);
  });
});

describe('maintenance', () => {
  test('a window has its pattern read, and defaults', () => {
    expect(configOf(window('')).maintenance).toEqual([
      {
        uplink: 'cmi',
        service: null,
        cron: expect.objectContaining({ text: '0 3 * * 2', minutes: [0], hours: [3], daysOfWeek: [2] }),
        timezone: 'Asia/Hong_Kong',
        durationMillis: 7_200_000,
        state: 'drain',
        drainBeforeMillis: 600_000,
        reason: 'carrier window',
      },
    ]);
  });

  test.each([
    ['uplink=hkbn', 'maintenance[0].uplink: found "hkbn", allowed: one of the uplinks: cmi, pccw'],
    ['service=mail', 'maintenance[0].service: found "mail", allowed: one of the services: web, dns'],
    ['cron="0 3 * *"', 'maintenance[0].cron: found "0 3 * *", allowed: a cron pattern of five fields'],
    ['cron="61 3 * * *"', '61 is no minute'],
    ['cron="0 0 3 * * *"', 'allowed: a cron pattern of five fields'],
    ['cron="0 3 * * Foo"', 'Foo is no day of week'],
    ['cron="0 3 L * *"', 'without L, W and #'],
    ['cron="0 3 31 2 *"', 'is no day of month'],
    ['timezone=Asia/Hongkong_', 'maintenance[0].timezone: found "Asia/Hongkong_", allowed: a time zone'],
    ['timezone=+08:00', 'allowed: a time zone'],
    ['duration=30s', 'maintenance[0].duration: found "30s", allowed: a duration from 1min to 7d'],
    ['state=announce', 'allowed: drain or withdraw'],
    ['reason=""', 'maintenance[0].reason: found ""'],
  ])('%s is refused with its place', (changes, says) => {
    const lines = problemsOf(`${sample}${window(changes)}\n`);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^causeway\.yaml:\d+:\d+: /);
    expect(lines[0]).toContain(says);
  });
});

test('what explain prints of these keys loads again to the same', () => {
  const config = configOf(
    `${window('state=withdraw')}\non_stop: { do: drain, deadline: 90s }\nhttp: { token_file: /etc/causeway/http.token }`,
  );
  expect(config.http.tokenFile).toBe('/etc/causeway/http.token');
  const again = readConfig('again.yaml', explainConfig(config));
  expect(again).toMatchObject({ kind: 'ok', config: JSON.parse(JSON.stringify({ ...config, policy: {} })) });
});
