/** DNS messages, tokens and the configuration: what is foreign or cut short is an error, never half an answer. */
import { createHash } from 'node:crypto';
import { test as prop } from '../support/property.ts';
import { nat, uint8Array } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadTokens } from '../../geodns/api/tokens.ts';
import { parseSubnet } from '../../geodns/address.ts';
import { decodeReply, DnsMessageError, encodeQuestion } from '../../geodns/dns/message.ts';
import { loadConfig } from '../../geodns/service/config.ts';
import { formatProblem } from '../../geodns/yaml-file.ts';
import { value } from '../support/geodns.ts';

/** `www.geo.test A 203.0.113.11` with a compressed name. */
const answerRecord = Buffer.from('c00c000100010000001e0004cb00710b', 'hex');

describe('DNS messages', () => {
  const question = encodeQuestion({
    id: 0xabcd,
    name: 'www.geo.test.',
    type: 'A',
    subnet: parseSubnet('36.96.0.0/20') ?? null,
  });
  test('carry the client subnet cut to its length (RFC 7871)', () => {
    expect(question.toString('hex')).toBe(
      'abcd00000001000000000001037777770367656f047465737400000100010000291000000000000' +
        '00b0008000700011400246000',
    );
  });
  prop.prop([uint8Array({ maxLength: 120 })])(
    'of random bytes are refused or read, never half read',
    (bytes) => {
      try {
        expect(decodeReply(Buffer.from(bytes))).toHaveProperty('answers');
      } catch (error) {
        expect(error).toBeInstanceOf(DnsMessageError);
      }
    },
  );
  prop.prop([nat()])('cut at any byte are refused', (at) => {
    const whole = Buffer.concat([
      Buffer.from('abcd84000001000100000000', 'hex'),
      question.subarray(12, 30),
      answerRecord,
    ]);
    expect(decodeReply(whole).answers).toEqual([
      { name: 'www.geo.test.', type: 1, ttlSeconds: 30, data: '203.0.113.11' },
    ]);
    expect(() => decodeReply(whole.subarray(0, at % whole.length))).toThrow(DnsMessageError);
  });
  test('that are questions are no replies', () => {
    expect(() => decodeReply(question)).toThrow(/is no reply/);
  });
});

describe('tokens', () => {
  const hash = createHash('sha256').update('secret-token').digest('hex');
  test('name their caller, and nobody else', () => {
    const tokens = value(
      loadTokens('t', `tokens:\n  - { name: a, role: node, node: hk1, sha256: ${hash} }\n`),
    );
    expect(tokens.callerOf('secret-token')).toEqual({ name: 'a', role: 'node', node: 'hk1' });
    expect(tokens.callerOf('secret-tokem')).toBeNull();
    expect(tokens.callerOf(hash)).toBeNull();
  });
  test.each([
    { text: 'tokens: []\n', expected: /t:1:1: tokens/ },
    {
      text: `tokens:\n  - { name: a, role: node, sha256: ${hash} }\n`,
      expected: /t:2:5: .*must say of which/,
    },
    {
      text: `tokens:\n  - { name: a, role: admin, node: hk1, sha256: ${hash} }\n`,
      expected: /belongs to no node/,
    },
    {
      text: 'tokens:\n  - { name: a, role: admin, sha256: secret-token }\n',
      expected: /must be the SHA-256/,
    },
  ])('are refused: $expected', ({ text, expected }) => {
    const loaded = loadTokens('t', text);
    expect(loaded.kind === 'refused' ? loaded.problems.map(formatProblem).join() : 'loaded').toMatch(
      expected,
    );
  });
});

describe('configuration', () => {
  const site = 'name: hkg, api: "http://127.0.0.1:8081", key_file: /k, dns: "127.0.0.1:53"';
  const text = `rules: /r\nnetworks: /n\nmmdb: { asn: /a, country: /c }\ntokens_file: /t\nsites:\n  - { ${site} }\n`;
  test('has defaults, and addresses as host and port', () => {
    expect(value(loadConfig('c', text.replace('127.0.0.1:53', '[2001:db8::1]:53')))).toMatchObject({
      listen: { host: '127.0.0.1', port: 8053 },
      state: '/var/lib/causeway-geodns',
      sites: [{ dns: { host: '2001:db8::1', port: 53 } }],
    });
  });
  test.each([
    {
      name: 'two sites of one name',
      from: `  - { ${site} }`,
      to: `  - { ${site} }\n  - { ${site} }`,
      expected: /c:7:7: .*already called hkg/,
    },
    { name: 'an API that is no URL', from: 'http:', to: 'ftp:', expected: /c:6:18: sites\.0\.api/ },
    { name: 'no sites', from: `sites:\n  - { ${site} }`, to: 'sites: []', expected: /c:5:1: sites/ },
  ])('$name is refused', ({ from, to, expected }) => {
    const loaded = loadConfig('c', text.replace(from, to));
    expect(loaded.kind === 'refused' ? loaded.problems.map(formatProblem).join() : 'loaded').toMatch(
      expected,
    );
  });
});
