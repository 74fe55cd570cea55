/** The kinds of probes in a target: what they become, and what is said of one that cannot be. */
import { describe, expect, test } from 'vitest';
import { explainConfig } from '../../src/config/explain.ts';
import { readConfig } from '../../src/config/read.ts';
import { tasksOf } from '../../src/core/probe-tasks.ts';
import type { NodeConfig } from '../../src/types/config.ts';
import { breakSample, problemsOf, sample } from './config-sample.ts';

const marked = '{ name: jkt-2, region: ID, ping: [198.51.100.11, "2001:db8:62::11"] }';
const withTarget = (target: string): string => sample.replace(marked, () => target);

function configOf(text: string): NodeConfig {
  const result = readConfig('causeway.yaml', text);
  if (result.kind === 'bad') throw new Error(result.problems.map((problem) => problem.text).join('\n'));
  return result.config;
}

/** The streams of that target on cmi: kind, family, address, port, interval and time-out. */
function streamsOf(text: string): readonly string[] {
  return tasksOf(configOf(text))
    .filter((task) => task.target === 'jkt-2' && task.uplink === 'cmi')
    .map(({ kind, family, address, port, intervalMillis, timeoutMillis }) =>
      [kind, family, address, port, intervalMillis, timeoutMillis].join(' '),
    );
}

describe('a target', () => {
  test('with ping alone is pinged, and now and then by an echo of full size', () => {
    expect(streamsOf(sample)).toEqual([
      'icmp 4 198.51.100.11 0 200 1000',
      'mtu 4 198.51.100.11 0 15000 1000',
      'icmp 6 2001:db8:62::11 0 200 1000',
      'mtu 6 2001:db8:62::11 0 15000 1000',
    ]);
    const without = sample.replace('policy:', 'policy:\n  probe: { full_size: 0s }');
    expect(streamsOf(without)).toEqual([
      'icmp 4 198.51.100.11 0 200 1000',
      'icmp 6 2001:db8:62::11 0 200 1000',
    ]);
  });

  test('with http is asked at a fifth of the pace, in each family that it has a URL for', () => {
    const text = withTarget(
      '{ name: jkt-2, region: ID, http: { url: ["https://198.51.100.11/up?a=1", "http://[2001:db8:62::11]:8080"], host: www.example.com, status: 204 } }',
    );
    expect(streamsOf(text)).toEqual([
      'http 4 198.51.100.11 443 1000 1000',
      'http 6 2001:db8:62::11 8080 1000 1000',
    ]);
    const asks = configOf(text).uplinks[0]?.targets.flatMap(({ http }) => http ?? []);
    expect(asks).toEqual([
      { tls: true, path: '/up?a=1', port: 443, host: 'www.example.com', status: 204 },
      { tls: false, path: '/', port: 8080, host: 'www.example.com', status: 204 },
    ]);
  });

  test('with dns is asked at its own addresses, or at those of ping', () => {
    const own = withTarget(
      '{ name: jkt-2, region: ID, dns: { server: ["198.51.100.11:5353", "2001:db8:62::11"], name: example.com } }',
    );
    expect(streamsOf(own)).toEqual([
      'dns 4 198.51.100.11 5353 1000 1000',
      'dns 6 2001:db8:62::11 53 1000 1000',
    ]);
    const ofPing = withTarget(
      '{ name: jkt-2, region: ID, ping: 198.51.100.11, dns: { name: ".", type: NS }, probe: { full_size: 0s } }',
    );
    expect(streamsOf(ofPing)).toEqual([
      'icmp 4 198.51.100.11 0 200 1000',
      'dns 4 198.51.100.11 53 1000 1000',
    ]);
  });

  test('may have a pace of its own', () => {
    const text = withTarget(
      '{ name: jkt-2, region: ID, ping: 198.51.100.11, tcp: 443, probe: { interval: 2s, full_size: 5min } }',
    );
    expect(streamsOf(text)).toEqual([
      'icmp 4 198.51.100.11 0 2000 1000',
      'tcp 4 198.51.100.11 443 2000 1000',
      'mtu 4 198.51.100.11 0 300000 1000',
    ]);
  });
});

test.each([
  '{ name: jkt-2, region: ID, http: { url: "https://198.51.100.11:8443/up" } }',
  '{ name: jkt-2, region: ID, ping: [198.51.100.11, "2001:db8:62::11"], tcp: 443, http: { url: "http://198.51.100.11/", host: a.example }, dns: { name: example.com, type: SOA } }',
  '{ name: jkt-2, region: ID, dns: { server: "[2001:db8:62::11]:5353", name: example.com }, probe: { timeout: 2s } }',
])('what explain prints of %s loads again to the same config', (target) => {
  const text = withTarget(target).replace('policy:', 'policy:\n  probe: { engine: net-ping }');
  const config = configOf(text);
  expect(config.probeEngine).toBe('net-ping');
  expect(configOf(explainConfig(config))).toEqual(config);
});

test.each([
  {
    name: 'a URL with a name',
    to: '{ name: jkt-2, region: ID, http: { url: ▶"https://www.example.com/" } }',
    says: 'uplinks.cmi.targets[1].http.url: found "https://www.example.com/", allowed: a URL with an address',
  },
  {
    name: 'a URL at another address than ping',
    to: '{ name: jkt-2, region: ID, ping: 198.51.100.11, http: { url: ▶"http://198.51.100.12/" } }',
    says: 'allowed: the address of ping, 198.51.100.11; another address is a target of its own',
  },
  {
    name: 'a server at another address than the URL',
    to: '{ name: jkt-2, region: ID, http: { url: "http://198.51.100.11/" }, dns: { server: ▶198.51.100.12, name: a } }',
    says: 'allowed: the address of http, 198.51.100.11; another address is a target of its own',
  },
  {
    name: 'dns without an address',
    to: '{ name: jkt-2, region: ID, tcp: "198.51.100.11:443", dns: ▶{ name: a } }',
    says: 'uplinks.cmi.targets[1].dns: found a mapping, allowed: a server, since there is no ping',
  },
  {
    name: 'a status that is none',
    to: '{ name: jkt-2, region: ID, http: { url: "http://198.51.100.11/", status: ▶99 } }',
    says: 'allowed: a whole number from 100 to 599',
  },
  {
    name: 'an interval that is too short',
    to: '{ name: jkt-2, region: ID, ping: 198.51.100.11, probe: { interval: ▶1ms } }',
    says: 'uplinks.cmi.targets[1].probe.interval: found "1ms", allowed: a duration from 20ms to 1min',
  },
])('$name is refused at its place', ({ to, says }) => {
  const { text, line, column } = breakSample(marked, to);
  const [problem] = problemsOf(text);
  expect(problem).toContain(`causeway.yaml:${line}:${column}: `);
  expect(problem).toContain(says);
});
