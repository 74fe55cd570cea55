/** `services.*.ready`, `alone` and `on_boot` in the config. */
import { describe, expect, test } from 'vitest';
import { explainConfig } from '../../src/config/explain.ts';
import { readConfig } from '../../src/config/read.ts';
import type { NodeConfig } from '../../src/types/config.ts';
import { breakSample, problemsOf, sample } from './config-sample.ts';

const prefixes = 'prefixes: [203.0.113.0/24, "2001:db8:a::/48"]';

/** The sample with these lines below service web; ▶ marks where the problem is. */
const withReady = (lines: string) => breakSample(prefixes, `${prefixes}\n    ${lines}`);

function configWith(lines: string): NodeConfig {
  const text = sample.replace(prefixes, `${prefixes}\n    ${lines}`);
  const result = readConfig('causeway.yaml', text);
  if (result.kind === 'bad') throw new Error(result.problems.map((problem) => problem.text).join('\n'));
  return result.config;
}

const kinds = [
  [
    '{ http: "http://127.0.0.1:8080/healthz" }',
    {
      kind: 'http',
      to: { kind: 'http', host: '127.0.0.1', port: 8080 },
      path: '/healthz',
      host: null,
      expect: null,
      body: null,
    },
  ],
  [
    '{ http: "https://[2001:DB8::1]/x?y=1", host: www.example.com, expect: 204, body: fine }',
    {
      to: { kind: 'https', host: '2001:db8::1', port: 443 },
      path: '/x?y=1',
      host: 'www.example.com',
      expect: 204,
      body: 'fine',
    },
  ],
  [
    '{ http: "http://unix:/run/app.sock:/healthz" }',
    { to: { kind: 'socket', socket: '/run/app.sock' }, path: '/healthz' },
  ],
  ['{ http: "http://127.0.0.1" }', { to: { kind: 'http', host: '127.0.0.1', port: 80 }, path: '/' }],
  ['{ tcp: "[::1]:443" }', { kind: 'tcp', to: { host: '::1', port: 443 } }],
  [
    '{ dns: { server: 127.0.0.1, name: example.com } }',
    { kind: 'dns', server: { host: '127.0.0.1', port: 53 }, name: 'example.com', type: 'A', expect: null },
  ],
  [
    '{ dns: { server: "::1", name: example.com., type: AAAA, expect: "2001:DB8:0::1" } }',
    { server: { host: '::1', port: 53 }, type: 'AAAA', expect: '2001:db8::1' },
  ],
  ['{ systemd: nginx.service }', { kind: 'systemd', unit: 'nginx.service' }],
  ['{ file: /run/ready }', { kind: 'file', path: '/run/ready' }],
  ['{ file_absent: /etc/causeway/out }', { kind: 'file_absent', path: '/etc/causeway/out' }],
  [
    '{ haproxy: { socket: /run/haproxy/admin.sock, backend: app } }',
    { kind: 'haproxy', server: null, atLeast: 1 },
  ],
  ['{ haproxy: { socket: /run/haproxy/admin.sock, backend: app, at_least: 2 } }', { atLeast: 2 }],
  ['{ haproxy: { socket: /run/haproxy/admin.sock, backend: app, server: s1 } }', { server: 's1' }],
  ['{ address: "2001:db8:a:0::1" }', { kind: 'address', address: '2001:db8:a::1', family: 6 }],
] as const;

describe('a readiness check', () => {
  test.each(kinds)('%s loads, and what explain prints of it loads to the same', (check, probe) => {
    const config = configWith(`ready: ${check}`);
    expect(config.services[0]?.ready).toMatchObject([
      { probe, intervalMillis: 1000, timeoutMillis: 1000, rise: 2, fall: 3 },
    ]);
    expect(readConfig('causeway.yaml', explainConfig(config))).toMatchObject({ kind: 'ok', config });
  });

  test('may be one of a list, each with its own pace', () => {
    const config = configWith(
      'ready: [ { tcp: "127.0.0.1:80", interval: 500ms, timeout: 200ms, rise: 1, fall: 5 }, { file: /run/ready } ]',
    );
    expect(config.services[0]?.ready).toMatchObject([
      { intervalMillis: 500, timeoutMillis: 200, rise: 1, fall: 5 },
      { rise: 2, fall: 3 },
    ]);
    expect(config.services[1]?.ready).toEqual([]);
  });

  test.each([
    [
      'no kind',
      'ready: ▶{ interval: 1s }',
      'services.web.ready: found a mapping, allowed: a check with one of http, tcp, dns, systemd, file, file_absent, haproxy, address',
    ],
    [
      'two kinds',
      'ready: { http: "http://127.0.0.1/", tcp: ▶"127.0.0.1:80" }',
      'services.web.ready.tcp: found "127.0.0.1:80", allowed: one kind in a check, and http stands here already: make a list of two checks',
    ],
    [
      'an unknown kind',
      'ready: [ { tcp: "127.0.0.1:80" }, { ▶icmp: 127.0.0.1 } ]',
      'services.web.ready[1].icmp: found the unknown key "icmp", allowed: one of http, tcp, dns, systemd, file, file_absent, haproxy, address, expect, body, host, interval, timeout, rise, fall',
    ],
    [
      'an empty list',
      'ready: ▶[]',
      'services.web.ready: found an empty list, allowed: a check, or a list of 1 to 20 checks',
    ],
    [
      'a host name in a URL',
      'ready: { http: ▶"http://localhost/" }',
      'services.web.ready.http: found "http://localhost/", allowed: a URL such as http://127.0.0.1:8080/healthz or http://unix:/run/app.sock:/healthz, with an address, not a name, since a check must not hang on a resolver',
    ],
    [
      'a port that is none',
      'ready: { tcp: ▶"127.0.0.1:70000" }',
      'services.web.ready.tcp: found "127.0.0.1:70000", allowed: an address and a port, such as 127.0.0.1:8080 or "[::1]:8080"; an address, not a name, since a check must not hang on a resolver',
    ],
    [
      'expect without http',
      'ready: { tcp: "127.0.0.1:80", expect: ▶200 }',
      'services.web.ready.expect: found 200, allowed: nothing: expect belongs to http, and this is a check of tcp',
    ],
    [
      'an expected address of the other family',
      'ready: { dns: { server: 127.0.0.1, name: a.example, expect: ▶"::1" } }',
      'services.web.ready.dns.expect: found "::1", allowed: an IPv4 address, since the type is A',
    ],
    [
      'at_least beside server',
      'ready: { haproxy: { socket: /run/h.sock, backend: app, server: s1, at_least: ▶2 } }',
      'services.web.ready.haproxy.at_least: found 2, allowed: nothing beside server, which asks for that server alone',
    ],
    [
      'a unit without its type',
      'ready: { systemd: ▶nginx }',
      'services.web.ready.systemd: found "nginx", allowed: the name of a unit with its type, such as nginx.service',
    ],
    [
      'a unit that is an option',
      'ready: { systemd: ▶"--help.service" }',
      'services.web.ready.systemd: found "--help.service", allowed: the name of a unit with its type, such as nginx.service',
    ],
    [
      'a rise of none',
      'ready: { file: /run/ready, rise: ▶0 }',
      'services.web.ready.rise: found 0, allowed: a whole number from 1 to 1000, without quotes',
    ],
    [
      'an interval that hurts',
      'ready: { file: /run/ready, interval: ▶1ms }',
      'services.web.ready.interval: found "1ms", allowed: a duration from 100ms to 5min: a number with ms, s, min, h or d, such as 5s',
    ],
    ['a word for alone', 'alone: ▶keep', 'services.web.alone: found "keep", allowed: drain or withdraw'],
  ])('%s is an error at its place', (_rule, lines, says) => {
    const { text, line, column } = withReady(lines);
    expect(problemsOf(text)).toEqual([`causeway.yaml:${line}:${column}: ${says}`]);
  });
});

test('on_boot: hold where no service has a check is a warning, since it would do nothing', () => {
  const result = readConfig('causeway.yaml', `${sample}on_boot: hold\n`);
  expect(result).toMatchObject({ kind: 'ok', config: { onBoot: 'hold' } });
  const said = result.kind === 'ok' ? result.warnings.map(({ text }) => text) : [];
  expect(said).toContainEqual(
    expect.stringContaining('on_boot: hold holds nothing: no service has a readiness check'),
  );
  expect(configWith('ready: { file: /run/ready }').onBoot).toBe('as-left');
});
