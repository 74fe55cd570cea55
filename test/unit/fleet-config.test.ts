/** `fleet` of the config: forms, defaults, and what is refused. */
import { describe, expect, test } from 'vitest';
import { explainConfig } from '../../src/config/explain.ts';
import { readConfig } from '../../src/config/read.ts';
import { problemsOf, sample } from './config-sample.ts';

function fleetOf(text: string) {
  const read = readConfig('causeway.yaml', `${sample}fleet: ${text}\n`);
  if (read.kind === 'bad') throw new Error(read.problems.map((one) => one.text).join('\n'));
  return read.config.fleet;
}

describe('fleet', () => {
  test('stands alone without it, and needs no more than a Redis', () => {
    const read = readConfig('causeway.yaml', sample);
    expect(read.kind === 'ok' && read.config.fleet).toBe(null);
    expect(fleetOf('{ redis: "redis://10.0.0.5:6379/0" }')).toEqual({
      way: { kind: 'single', host: '10.0.0.5', port: 6379, db: 0 },
      user: null,
      passwordFile: null,
      ordersKeyFile: null,
      tls: null,
      prefix: 'causeway',
      publishMillis: 500,
      expireMillis: 5000,
      soakMillis: 600_000,
      token: { lifeMillis: 10_000, nodes: 1, windowMillis: 60_000 },
      perSite: false,
    });
  });

  test.each([
    ['a name without a port', '{ redis: "redis://redis.example" }', { host: 'redis.example', port: 6379 }],
    ['IPv6', '{ redis: "redis://[2001:db8::5]:6380/3" }', { host: '2001:db8::5', port: 6380, db: 3 }],
  ])('takes %s', (_, text, way) => {
    expect(fleetOf(text)?.way).toMatchObject(way);
  });

  test('takes Sentinels, TLS with its own authority, and a user', () => {
    const text =
      '{ sentinel: { master: causeway, nodes: ["10.0.0.5:26379", "10.0.0.6"], password_file: /etc/s }, user: causeway, password_file: /etc/p, tls: { ca_file: /etc/ca.pem } }';
    expect(fleetOf(text)).toMatchObject({
      way: {
        kind: 'sentinel',
        master: 'causeway',
        nodes: [
          { host: '10.0.0.5', port: 26_379 },
          { host: '10.0.0.6', port: 26_379 },
        ],
        passwordFile: '/etc/s',
      },
      user: 'causeway',
      passwordFile: '/etc/p',
      tls: { caFile: '/etc/ca.pem' },
    });
    expect(fleetOf('{ redis: "rediss://10.0.0.5" }')?.tls).toEqual({ caFile: null });
  });

  test.each([
    '{ redis: "rediss://[2001:db8::5]:6380/3", per_site: true, token: { life: 20s, nodes: 2, window: 5min } }',
    '{ sentinel: { master: causeway, nodes: ["10.0.0.5:26379"] }, tls: {}, publish: 1s, expire: 10s, prefix: "site:a" }',
    '{ redis: "redis://10.0.0.5:6379/0", user: a, password_file: /etc/p }',
  ])('is printed so that it loads again: %s', (text) => {
    const read = readConfig('causeway.yaml', `${sample}fleet: ${text}\n`);
    if (read.kind === 'bad') throw new Error(read.problems.map((one) => one.text).join('\n'));
    const again = readConfig('again.yaml', explainConfig(read.config));
    expect(again).toMatchObject({ kind: 'ok', config: { fleet: read.config.fleet } });
  });

  test.each([
    ['{}', /fleet: found neither redis nor sentinel, allowed: one of redis and sentinel/],
    [
      '{ redis: "redis://10.0.0.5", sentinel: { master: a, nodes: ["10.0.0.5"] } }',
      /found both redis and sentinel/,
    ],
    ['{ redis: "10.0.0.5:6379" }', /fleet\.redis: found "10\.0\.0\.5:6379", allowed: redis:\/\/HOST:PORT/],
    [
      '{ redis: "redis://user:secret@10.0.0.5" }',
      /found "redis:\/\/\*\*\*@10\.0\.0\.5", allowed: a URL without user/,
    ],
    ['{ redis: "redis://10.0.0.5", tls: {} }', /fleet\.redis: .*rediss:\/\/…, since fleet\.tls is given/],
    ['{ redis: "redis://10.0.0.5", user: causeway }', /fleet\.user: .*a user with a password_file/],
    ['{ redis: "redis://10.0.0.5", publish: 2s }', /fleet\.expire: found 5s, allowed: at least 6s/],
    ['{ redis: "redis://10.0.0.5", expiry: 2s }', /unknown key "expiry"/],
    ['{ sentinel: { master: a, nodes: [] } }', /at least one Sentinel/],
    ['{ sentinel: { master: a, nodes: ["10.0.0.5:99999"] } }', /fleet\.sentinel\.nodes\[0\].*HOST:PORT/],
    ['{ redis: "redis://10.0.0.999" }', /fleet\.redis: found/],
  ])('refuses %s, and says what is allowed', (text, said) => {
    expect(problemsOf(`${sample}fleet: ${text}\n`).join('\n')).toMatch(said);
  });

  test('warns where the last node of a service may leave', () => {
    const text = `${sample}fleet: { redis: "redis://10.0.0.5" }\nguards: { keep_nodes: 0 }\n`;
    const read = readConfig('causeway.yaml', text);
    expect(read.kind === 'ok' && read.warnings.map((one) => one.text).join()).toMatch(
      /guards\.keep_nodes: with 0 the fleet consents to the last node leaving/,
    );
  });
});
