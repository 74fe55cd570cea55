/**
 * Requests to the API of GeoDNS, as bytes on a connection, with tokens of every role, another's and none: answered rightly or
 * hung up on, never a 500; what is refused changes nothing, and no answer tells a token or where the program lies.
 */
import { attack, faultIn } from '../../support/hostile.ts';
import { type DataApi, dataTokens, startDataApi } from '../../support/geodns-data.ts';
import { uplinkMessage } from '../../support/geodns-api.ts';
import { labRulesText } from '../../support/geodns.ts';
import type { FuzzTarget } from '../target.ts';

/** It stands still, so that nothing changes by itself. */
const nowMillis = Date.UTC(2026, 10, 30, 1);
const until = '2026-12-01T00:00:00Z';
let api: DataApi | null = null;

const { ops, node, edge, reader } = dataTokens;
const stranger = 'token-of-nobody-known';

interface Sent {
  readonly token?: string;
  readonly body?: unknown;
  readonly head?: string;
}

/** A string as body is YAML. */
function request(line: string, { token = ops, body, head = '' }: Sent = {}): Buffer {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const type = typeof body === 'string' ? 'application/yaml' : 'application/json';
  const about =
    body === undefined ? '' : `content-type: ${type}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`;
  return Buffer.from(
    `${line} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\nconnection: close\r\n${about}${head}\r\n${text}`,
  );
}

const override = { state: 'drain', until, reason: 'x', family: 4 };
const heartbeat = {
  schema: 1,
  frozen: true,
  node: 'hk1',
  uplinks: { cmi: { carrier: 'cmi', families: { '4': { state: 'down' } }, held: null, reason: 'loss' } },
  epoch: 2,
  seq: 1,
  at: until,
};
const plain = { schema: 1, state: 'down', reason: 'x', epoch: 3, seq: 1, at: until };
const beacons = {
  schema: 1,
  beacons: [{ carrier: 'cmi', ok: true, rttMillis: 40, country: 'VN', source: 'net-1' }],
};
const row = {
  network: 'cm',
  asn: 9808,
  requests: 1,
  bytes: 1,
  seconds: 1,
  cacheHits: 0,
  originErrors: 0,
  limited: 0,
};
const summary = { schema: 1, node: 'hk1', at: nowMillis / 1000, seconds: 60, rows: [row] };
const question = { ip: '120.196.1.1', name: 'www.geo.test', type: 'A' };

const reads = [
  '/',
  '/healthz',
  '/readyz',
  '/metrics',
  '/docs/json',
  '/v1/state',
  '/v1/sites',
  '/v1/map',
  '/v1/answers?policy=cdn&family=4',
  '/v1/decide?name=www.geo.test&ip=120.196.1.1&type=AAAA',
  '/v1/revisions/1?preview=1',
  '/v1/rules',
  '/v1/steering',
  '/v1/geoip',
  '/v1/statistics?day=2026-11-30',
  '/v1/statistics.csv',
];

function commands(token: string): readonly Buffer[] {
  return [
    request('PUT /v1/overrides/hk1/cmi', { token, body: override }),
    request('PUT /v1/overrides/*/*', { token, body: { state: 'auto', reason: 'x' } }),
    request('PUT /v1/freeze', { token, body: { frozen: true, reason: 'x' } }),
    request('POST /v1/steering/cdn/7', { token, body: { do: 'revert', reason: 'x', until } }),
    request('PUT /v1/nodes/hk1/uplinks/cmi', { token, body: uplinkMessage('down', 1, 1, { VN: 'down' }) }),
    request('PUT /v1/nodes/hk1/state', { token, body: heartbeat }),
    request('PUT /v1/nodes/hk1/state', { token, body: { ...heartbeat, frozen: false, seq: 0 } }),
    request('PUT /v1/nodes/hk1/carriers/cmi', { token, body: plain }),
    request('POST /remove/pccw?node=hk1', { token }),
    request('POST /restore/pccw?node=hk1', { token, body: {} }),
    request('POST /v1/rum', { token, body: beacons }),
    request('POST /v1/statistics', { token, body: summary }),
    request('POST /v1/decide/batch', { token, body: { questions: [question, question] } }),
    request('POST /v1/geoip/refresh', { token, body: { accept: true } }),
    request('POST /v1/rules/validate', { token, body: labRulesText }),
    request('POST /v1/rules/apply?reason=x', { token, body: labRulesText, head: 'if-match: "1"\r\n' }),
    request('POST /v1/revisions/1/rollback', { token, head: 'if-match: "1"\r\ncontent-length: 0\r\n' }),
  ];
}

const oversized = [
  request('PUT /v1/overrides/hk1/cmi', { body: { ...override, reason: 'x'.repeat(2_000_000) } }),
  request('POST /v1/rules/validate', { body: '['.repeat(20_000) }),
  request('GET /v1/state', { head: Array.from({ length: 300 }, (_, at) => `x-${at}: 1\r\n`).join('') }),
  request(`GET /v1/decide?ip=${'1'.repeat(9000)}`),
];

/** Changes that are no refusals' to make. */
function stateOf({ service }: DataApi): readonly unknown[] {
  return [
    service.parts.store.state(),
    service.parts.rules,
    service.zone()?.revision,
    service.frozenNodes().join(),
  ];
}

export const geodnsHttpTarget: FuzzTarget = {
  name: 'geodns-http',
  summary: 'requests to the API of GeoDNS',
  seeds: () => [
    ...reads.map((path) => request(`GET ${path}`)),
    ...[ops, node, edge, reader, stranger].flatMap(commands),
    ...oversized,
  ],
  async check(input) {
    api ??= await startDataApi({ rum: {}, nowMillis: () => nowMillis });
    const other = mended(input);
    return (await faultOf(api, input)) ?? (other.equals(input) ? null : faultOf(api, other));
  },
  async close() {
    await api?.stop();
    api = null;
  },
};

/** With the length that its body has, so that what was made of the body is read. */
function mended(input: Buffer): Buffer {
  const head = input.indexOf('\r\n\r\n') + 4;
  const length = `content-length: ${Math.max(0, input.length - head)}`;
  return Buffer.from(input.toString('latin1').replace(/content-length: \d+/, length), 'latin1');
}

async function faultOf(world: DataApi, input: Buffer): Promise<string | null> {
  const before = stateOf(world);
  const text = await attack(Number(new URL(world.url).port), { name: 'fuzz', pieces: [input], end: 'wait' });
  if (isRefusal(text) && stateOf(world).some((one, at) => one !== before[at]))
    return `it was refused, and changed the state: ${text.slice(0, 12)}`;
  return faultIn(text) ?? leakIn(text, input) ?? (await wellAfterwards(world));
}

/** What the HTTP parser refuses may stand behind a request that was carried out, and hides its answer. */
function isRefusal(text: string): boolean {
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  const byParser = /"code":"(?:bad-request|timeout|headers-too-large|uri-too-long)"/.test(text);
  return statuses.length > 0 && statuses.every((status) => status >= 400) && !byParser;
}

/** A token that was not sent, a place in the source. */
function leakIn(text: string, input: Buffer): string | null {
  const tokens = Object.values(dataTokens).filter((token) => !input.includes(token));
  const found = [...tokens, import.meta.dirname, 'node_modules', '    at '].find((one) => text.includes(one));
  return found === undefined ? null : `the answer has ${JSON.stringify(found)}`;
}

async function wellAfterwards({ url }: DataApi): Promise<string | null> {
  const { status } = await fetch(`${url}/healthz`);
  return status === 200 ? null : 'the server is not well afterwards';
}
