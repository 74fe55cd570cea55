/** `geodns` and `webhooks` in the config. */
import { describe, expect, test } from 'vitest';
import { explainConfig } from '../../src/config/explain.ts';
import { readConfig } from '../../src/config/read.ts';
import type { NodeConfig } from '../../src/types/config.ts';
import { problemsOf, sample } from './config-sample.ts';

function configOf(text: string): NodeConfig {
  const read = readConfig('causeway.yaml', text);
  if (read.kind === 'bad') throw new Error(read.problems.map((one) => one.text).join('\n'));
  return read.config;
}
const line = sample.split('\n').length;
const geodns = (inside: string): string => `${sample}geodns: { token_file: /t, ${inside} }\n`;
const hook = (inside: string): string => `${sample}webhooks:\n  - { name: own, ${inside} }\n`;
const only = (text: string): string => {
  const problems = problemsOf(text);
  expect(problems).toHaveLength(1);
  return problems[0] ?? '';
};

describe('geodns and webhooks', () => {
  test('are off where the config says nothing', () => {
    expect(configOf(sample)).toMatchObject({ geodns: null, webhooks: [] });
  });

  test('have these defaults', () => {
    expect(configOf(geodns('url: "https://dns-api.example/"')).geodns).toEqual({
      urls: ['https://dns-api.example'],
      tokenFile: '/t',
      caFile: null,
      ttlMillis: 30_000,
      deadlineMillis: 60_000,
      heartbeatMillis: 10_000,
      timeoutMillis: 2000,
    });
    const [legacy, chat] = configOf(
      `${sample}webhooks:
  - { name: legacy, preset: remove-restore, url: "http://127.0.0.1:8081" }
  - { name: chat, preset: slack, url_file: /etc/causeway/slack.url }
`,
    ).webhooks;
    expect(legacy).toMatchObject({
      on: ['withdraw', 'drain', 'announce'],
      repeatMillis: 60_000,
      timeoutMillis: 5000,
    });
    expect(chat).toMatchObject({ on: ['withdraw', 'drain', 'announce', 'alarm'], repeatMillis: null });
  });

  test('are printed so that they load again', () => {
    const text = `${geodns('urls: ["https://a.example", "http://127.0.0.1:8053"], ca_file: /ca, ttl: 0s, deadline: 1min')}
webhooks:
  - { name: a, preset: pagerduty, url: "https://events.example/v2/enqueue", key_file: /k, on: [alarm], repeat: 5min }
  - { name: b, url: "https://x.example/{{uplink}}", method: PUT, headers: { X-A: "{{reason}}" }, body: '{"a": {{json uplink}}}', secret_file: /s, token_file: /t, ca_file: /c, timeout: 1s }
`;
    const config = configOf(text);
    expect(configOf(explainConfig(config))).toEqual(config);
  });

  test.each<[string, string, string]>([
    ['no way to it', geodns('ttl: 10s'), 'geodns: found neither url nor urls, allowed: one of url and urls'],
    [
      'two',
      geodns('url: "http://a", urls: ["http://b"]'),
      'geodns.url: found url beside urls, allowed: one of url and urls',
    ],
    ['an empty list', geodns('urls: []'), 'geodns.urls: found an empty list, allowed: at least one URL'],
    [
      'another scheme',
      geodns('url: "ftp://a"'),
      'geodns.url: found "ftp://a", allowed: http://HOST[:PORT] or https://HOST[:PORT]',
    ],
    ['a password in it', geodns('url: "https://u:secret@a"'), 'geodns.url: found "https://***@a", allowed: '],
    ['a query', geodns('url: "https://a/?x=1"'), 'geodns.url: found '],
    ['no token', `${sample}geodns: { url: "https://a" }\n`, 'geodns.token_file: found nothing, allowed: '],
    [
      'a deadline before the TTL',
      geodns('url: "https://a", ttl: 2min'),
      'geodns.deadline: found 1min, allowed: at least geodns.ttl (2min)',
    ],
    [
      'an unknown key',
      geodns('url: "https://a", tll: 5s'),
      'geodns.tll: found the unknown key "tll", allowed: one of ',
    ],
  ])('geodns with %s is refused at its place', (_name, text, says) => {
    const said = only(text);
    expect(said).toContain(`causeway.yaml:${line}:`);
    expect(said).toContain(says);
    expect(said).not.toContain('secret');
  });

  const url = 'url: "https://a"';
  test.each<[string, string, string]>([
    [
      'no URL',
      'preset: json',
      'webhooks[0]: found neither url nor url_file, allowed: one of url and url_file',
    ],
    ['two', `preset: json, ${url}, url_file: /u`, 'webhooks[0]: found both url and url_file'],
    [
      'neither preset nor body',
      url,
      'webhooks[0]: found neither preset nor body, allowed: a preset, or a body',
    ],
    [
      'both',
      `preset: json, ${url}, body: "{}"`,
      'webhooks[0].body: found a body beside a preset, allowed: one of both',
    ],
    [
      'a method beside a preset',
      `preset: slack, ${url}, method: GET`,
      'webhooks[0].method: found a method beside a preset',
    ],
    [
      'an unknown preset',
      `preset: teams, ${url}`,
      'webhooks[0].preset: found "teams", allowed: remove-restore, slack, pagerduty or json',
    ],
    ['pagerduty without its key', `preset: pagerduty, ${url}`, 'webhooks[0]: found no key_file'],
    ['a key_file of another', `preset: json, ${url}, key_file: /k`, 'webhooks[0].key_file: found a key_file'],
    [
      'alarms for a list of carriers',
      `preset: remove-restore, ${url}, on: [alarm]`,
      'webhooks[0].on: found alarm, allowed: withdraw, drain, announce',
    ],
    [
      'nothing to listen for',
      `preset: json, ${url}, on: []`,
      'webhooks[0].on: found an empty list, allowed: at least one event',
    ],
    ['an unknown value', `${url}, body: '{{json nosuch}}'`, 'webhooks[0].body: found '],
    [
      'a value that does not say how',
      `${url}, body: '{"a": "{{uplink}}"}'`,
      '{{json uplink}}, {{string uplink}} (inside quotes)',
    ],
    ['a brace that is left open', `${url}, body: '{{json uplink'`, 'every {{ needs its }}'],
    [
      'a body that outside text would break',
      `${url}, body: '{"a": "{{text reason}}"}'`,
      'webhooks[0].body: found a body that does not become JSON',
    ],
    [
      'a body that is no JSON',
      `${url}, body: 'a={{form uplink}}'`,
      'webhooks[0].body: found a body that does not become JSON',
    ],
    ['a host from outside', `preset: json, url: "https://{{uplink}}.example/"`, 'webhooks[0].url: found '],
    [
      'a header that is none',
      `${url}, body: '{}', headers: { "X Y": a }`,
      'allowed: a mapping from names of headers to their values',
    ],
    ['a header of two lines', `${url}, body: '{}', headers: { X: "a\\nb" }`, 'webhooks[0].headers.X: found '],
  ])('a webhook with %s is refused at its place', (_name, inside, says) => {
    const said = only(hook(inside));
    expect(said).toContain(`causeway.yaml:${line + 1}:`);
    expect(said).toContain(says);
  });

  test('two webhooks of one name are refused', () => {
    const one = `{ name: a, preset: json, ${url} }`;
    expect(only(`${sample}webhooks: [${one}, ${one}]\n`)).toContain('webhooks[1].name: found "a"');
  });

  test('a token in the clear is a warning, on loopback it is none', () => {
    const warningsOf = (text: string): readonly string[] => {
      const read = readConfig('causeway.yaml', text);
      return read.kind === 'ok' ? read.warnings.map((one) => one.text) : ['bad'];
    };
    expect(warningsOf(geodns('url: "http://10.0.0.5:8053"'))[0]).toContain(
      'geodns.url: the token goes in the clear there',
    );
    expect(warningsOf(geodns('urls: ["https://a", "http://10.0.0.5"]'))[0]).toContain(
      'geodns.urls[1]: the token',
    );
    expect(warningsOf(hook('preset: json, url: "http://a.example", token_file: /t'))[0]).toContain(
      'webhooks[0].url: the token',
    );
    for (const host of ['127.0.0.1:8053', '[::1]:8053', 'localhost'])
      expect(warningsOf(geodns(`url: "http://${host}"`))).toEqual([]);
  });
});
