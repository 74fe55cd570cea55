/** `edge` and `paths.edge`: defaults, what is refused and where, and that explain's output loads again. */
import { describe, expect, test } from 'vitest';
import { explainConfig } from '../../src/config/explain.ts';
import { readConfig } from '../../src/config/read.ts';
import type { NodeConfig } from '../../src/types/config.ts';
import { breakSample, problemsOf, sample } from './config-sample.ts';

function load(text: string): NodeConfig {
  const result = readConfig('causeway.yaml', text);
  if (result.kind === 'bad') throw new Error(result.problems.map((problem) => problem.text).join('\n'));
  return result.config;
}

const whole = `edge:
  host: hk1.edge.example.com:8443
  weight: 0
  ttl: 20s
  probe: { interval: 2s, timeout: 300ms, rise: 1, fall: 5 }
  origins:
    app:
      - { address: 192.0.2.10, port: 443, via: [pccw] }
      - { address: "2001:DB8::10", port: 443, weight: 0 }
    big-files: [{ address: 192.0.2.10, port: 8080, weight: 3 }]
`;

test('without it no edge is told anything, and the paths have their defaults', () => {
  const { edge, paths } = load(sample);
  expect(edge).toBeNull();
  expect(paths.edge).toEqual({ file: '/run/causeway/edge.json', socket: '/run/causeway-edge/admin.sock' });
});

test('the least is a host', () => {
  expect(load(`${sample}edge: { host: hk1.edge.example.com }\n`).edge).toEqual({
    host: 'hk1.edge.example.com',
    weight: 100,
    ttlMillis: 15_000,
    probe: { intervalMillis: 1000, timeoutMillis: 1000, rise: 2, fall: 3 },
    pools: [],
  });
});

test('an origin is probed through the uplinks that are named, or through all that have its family', () => {
  const { edge } = load(sample + whole);
  expect(edge?.pools.map(({ name, origins }) => [name, origins])).toEqual([
    [
      'app',
      [
        { family: 4, address: '192.0.2.10', port: 443, weight: 1, via: ['pccw'] },
        { family: 6, address: '2001:db8::10', port: 443, weight: 0, via: ['cmi', 'pccw'] },
      ],
    ],
    ['big-files', [{ family: 4, address: '192.0.2.10', port: 8080, weight: 3, via: ['cmi', 'pccw'] }]],
  ]);
});

test('what explain prints loads again', () => {
  const config = load(sample + whole);
  expect(load(explainConfig(config))).toEqual(config);
});

describe('what is refused', () => {
  const at = (edge: string) => breakSample('policy:', `${edge}\npolicy:`);
  test.each([
    [
      'no host',
      'edge: ▶{ weight: 1 }',
      'edge.host: found nothing, allowed: a host name in ASCII, such as hk1.edge.example.com',
    ],
    [
      'a URL as host',
      'edge: { host: ▶"https://x" }',
      'edge.host: found "https://x", allowed: a host name in ASCII, such as hk1.edge.example.com',
    ],
    [
      'a ttl below what heartbeats keep',
      'edge: { host: h, ttl: ▶1s }',
      'edge.ttl: found "1s", allowed: a duration from 3s to 10min',
    ],
    [
      'an uplink that there is not',
      'edge: { host: h, origins: { app: [{ address: 192.0.2.1, port: 1, via: [cmi, ▶cmy] }] } }',
      'edge.origins.app[0].via[1]: found "cmy", allowed: uplinks with an IPv4 source: cmi, pccw',
    ],
    [
      'an uplink twice',
      'edge: { host: h, origins: { app: [{ address: 192.0.2.1, port: 1, via: [cmi, ▶cmi] }] } }',
      'edge.origins.app[0].via[1]: found "cmi", allowed: each uplink once',
    ],
    [
      'no uplink',
      'edge: { host: h, origins: { app: [{ address: 192.0.2.1, port: 1, via: ▶[] }] } }',
      'edge.origins.app[0].via: found an empty list, allowed: at least one uplink; left out: all that have its family',
    ],
    [
      'an origin twice',
      'edge: { host: h, origins: { app: [{ address: 192.0.2.1, port: 1 }, ▶{ address: 192.0.2.1, port: 1 }] } }',
      'edge.origins.app[1]: found 192.0.2.1 port 1, allowed: each origin once in a pool',
    ],
    [
      'a name as address',
      'edge: { host: h, origins: { app: [{ address: ▶origin.example.com, port: 1 }] } }',
      'edge.origins.app[0].address: found "origin.example.com", allowed: an IPv4 or IPv6 address',
    ],
    [
      'an empty pool',
      'edge: { host: h, origins: { app: ▶[] } }',
      'edge.origins.app: found an empty list, allowed: a list with 1 to 100 origins',
    ],
    [
      'one path for both',
      'paths: { edge: { file: /run/a, socket: ▶/run/a } }',
      'paths.edge.socket: found "/run/a", allowed: another path than paths.edge.file',
    ],
    [
      'the control socket',
      'paths: { control: /run/a, edge: { socket: ▶/run/a } }',
      'paths.edge.socket: found "/run/a", allowed: another socket than paths.control',
    ],
  ])('%s', (_title, edge, says) => {
    const { text, line, column } = at(edge);
    const [problem, ...others] = problemsOf(text);
    expect(others).toEqual([]);
    expect(problem).toContain(`causeway.yaml:${line}:${column}: ${says}`);
  });
});
