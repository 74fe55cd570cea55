/** Beacons, measured steering, the freeze and statistics over the API of a service on the lab's rules. */
import { afterEach, describe, expect, test } from 'vitest';
import { parseAddress } from '../../geodns/address.ts';
import { callerOf, uplinkMessage } from '../support/geodns-api.ts';
import { type DataApi, dataTokens, measureVietnam, startDataApi } from '../support/geodns-data.ts';

let api: DataApi;
afterEach(() => api?.stop());

const call = (token: keyof typeof dataTokens | null): ReturnType<typeof callerOf> =>
  callerOf(api.url, token === null ? null : dataTokens[token]);

const one = { carrier: 'cmi', ok: true, rttMillis: 40 };

/** As `navigator.sendBeacon` does it, through a proxy on loopback. */
async function beacon(body: unknown, forwarded?: string): Promise<number> {
  const response = await fetch(`${api.url}/v1/rum`, {
    method: 'POST',
    headers: {
      'content-type': 'text/plain;charset=UTF-8',
      ...(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }),
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
}

const inVietnam = parseAddress('14.160.1.1');
function poolOfVietnam(): string | null {
  if (inVietnam === undefined) throw new Error('no address');
  return api.service.decide('www.geo.test', inVietnam, 4)?.pool ?? null;
}
const whole = { step: '100%', total: '100%' };

describe('beacons', () => {
  test('of a browser are taken through a trusted proxy, and judged by the address that it saw', async () => {
    api = await startDataApi({ rum: { open: true, proxies: ['127.0.0.1'] } });
    expect(await beacon({ schema: 1, beacons: [one] }, '198.51.100.9, 14.160.1.1')).toBe(204);
    const [found] = api.data.collector.evidence(api.service.parts.nowMillis());
    expect(found?.segment).toMatchObject({ asn: 45_899, country: 'VN' });
  });

  test('without a proxy in front count for the address that they come from, whatever they claim', async () => {
    api = await startDataApi({ rum: { open: true } });
    expect(await beacon({ schema: 1, beacons: [one] }, '14.160.1.1')).toBe(204);
    expect(api.data.collector.evidence(api.service.parts.nowMillis())[0]?.segment.country).toBeNull();
  });

  test.each([
    { name: 'not JSON', body: 'x', status: 400 },
    { name: 'of another form', body: { schema: 1, beacons: [{}] }, status: 400 },
    { name: 'too large', body: { schema: 1, beacons: [one], more: 'x'.repeat(20_000) }, status: 413 },
  ])('that are $name are refused with $status', async ({ body, status }) => {
    api = await startDataApi({ rum: { open: true } });
    expect(await beacon(body)).toBe(status);
  });

  test('beyond the share of a network are refused with 429', async () => {
    api = await startDataApi({ rum: { open: true, per_network: 1 } });
    expect(await beacon({ schema: 1, beacons: [one] })).toBe(204);
    expect(await beacon({ schema: 1, beacons: [one] })).toBe(429);
  });

  test('need a token unless the service is open for them, and no reader may tell them', async () => {
    api = await startDataApi();
    const body = { schema: 1, beacons: [{ ...one, country: 'VN', asn: 45_899 }] };
    expect((await call(null)('POST', '/v1/rum', body)).status).toBe(401);
    expect((await call('reader')('POST', '/v1/rum', body)).status).toBe(403);
    expect(await call('edge')('POST', '/v1/rum', body)).toMatchObject({ status: 202, body: { counted: 1 } });
  });

  test('are refused where the config has no rum', async () => {
    api = await startDataApi({ rum: null });
    expect(await call('edge')('POST', '/v1/rum', { schema: 1, beacons: [one] })).toMatchObject({
      status: 404,
      body: { code: 'not-configured' },
    });
  });
});

describe('measured steering', () => {
  test('in shadow mode shows what it would do, and does nothing', async () => {
    api = await startDataApi();
    measureVietnam(api);
    await api.data.steerer.round();
    expect((await call('reader')('GET', '/v1/steering')).body).toMatchObject({
      mode: 'shadow',
      acting: [],
      proposals: [
        { policy: 'cdn', rule: 7, to: ['hk-pccw', 'hk-cmi'], held: 'shadow', evidence: { sources: 40 } },
      ],
    });
    expect(poolOfVietnam()).toBe('hk-cmi');
  });

  test('in live mode changes the answers, says why, and is taken back by an operator who then has the last word', async () => {
    api = await startDataApi({ steering: { mode: 'live', ...whole } });
    measureVietnam(api);
    const before = api.service.zone()?.revision;
    await api.data.steerer.round();
    expect(poolOfVietnam()).toBe('hk-pccw');
    expect(api.service.zone()?.revision).toBeGreaterThan(before ?? 0);
    const decided = await call('reader')('GET', '/v1/decide?name=www.geo.test&ip=14.160.1.1');
    expect(JSON.stringify(decided.body['why'])).toContain('by controller: hk-pccw instead of hk-cmi: ');
    const back = await call('ops')('POST', '/v1/steering/cdn/7', { do: 'revert', reason: 'no' });
    expect(back).toMatchObject({ status: 200, body: { entry: { isActing: false, author: 'ops' } } });
    await api.data.steerer.round();
    expect(poolOfVietnam()).toBe('hk-cmi');
    expect(api.data.steerer.proposals()).toMatchObject([{ held: 'blocked' }]);
  });

  test('makes a proposal true on an operator’s word, also in shadow mode', async () => {
    api = await startDataApi();
    measureVietnam(api);
    expect((await call('reader')('POST', '/v1/steering/cdn/7', { do: 'accept', reason: 'ok' })).status).toBe(
      403,
    );
    expect((await call('ops')('POST', '/v1/steering/cdn/7', { do: 'accept', reason: 'ok' })).status).toBe(
      200,
    );
    expect(poolOfVietnam()).toBe('hk-pccw');
    const other = await call('ops')('POST', '/v1/steering/cdn/3', { do: 'accept', reason: 'ok' });
    expect(other).toMatchObject({ status: 404, body: { code: 'nothing-to-do' } });
  });

  test('is held by a freeze here and by one of a node, and what it did stays', async () => {
    api = await startDataApi({ steering: { mode: 'live', ...whole } });
    measureVietnam(api);
    expect(await call('ops')('PUT', '/v1/freeze', { frozen: true, reason: 'storm' })).toMatchObject({
      status: 200,
      body: { isFrozen: true, freeze: { author: 'ops', reason: 'storm' } },
    });
    await api.data.steerer.round();
    expect(api.data.steerer.proposals()).toMatchObject([{ held: 'frozen' }]);
    expect(poolOfVietnam()).toBe('hk-cmi');
    await call('ops')('PUT', '/v1/freeze', { frozen: false, reason: 'over' });
    const {
      schema: _s,
      at: _a,
      epoch: _e,
      seq: _q,
      ...uplink
    } = uplinkMessage('up', 1, 1) as Record<string, unknown>;
    const heartbeat = (seq: number, frozen: boolean): unknown => ({
      schema: 1,
      node: 'hk1',
      uplinks: { cmi: uplink },
      ...(frozen ? { frozen } : {}),
      epoch: 1,
      seq,
      at: '2026-11-30T01:00:00Z',
    });
    await call('node')('PUT', '/v1/nodes/hk1/state', heartbeat(1, true));
    await api.data.steerer.round();
    expect(poolOfVietnam()).toBe('hk-cmi');
    expect((await call('reader')('GET', '/v1/steering')).body).toMatchObject({
      isFrozen: true,
      frozenNodes: ['hk1'],
    });
    await call('node')('PUT', '/v1/nodes/hk1/state', heartbeat(3, false));
    // One of before that comes late is refused, and freezes nothing.
    expect((await call('node')('PUT', '/v1/nodes/hk1/state', heartbeat(2, true))).status).toBe(409);
    await api.data.steerer.round();
    expect(poolOfVietnam()).toBe('hk-pccw');
    await call('ops')('PUT', '/v1/freeze', { frozen: true, reason: 'storm' });
    expect(poolOfVietnam()).toBe('hk-pccw');
  });

  test('outlives a restart, as the freeze does', async () => {
    const { mkdtempSync, rmSync } = await import('node:fs');
    const folder = mkdtempSync('/tmp/causeway-steering-');
    try {
      api = await startDataApi({ folder, steering: { mode: 'live', ...whole } });
      measureVietnam(api);
      await api.data.steerer.round();
      await call('ops')('PUT', '/v1/freeze', { frozen: true, reason: 'storm' });
      await api.stop();
      api = await startDataApi({ folder, steering: { mode: 'live' } });
      expect(poolOfVietnam()).toBe('hk-pccw');
      expect(api.service.isFrozen()).toBe(true);
    } finally {
      await api.stop();
      rmSync(folder, { recursive: true, force: true });
      api = await startDataApi();
    }
  });
});

test('a report about a node that is in no rule is refused, and nobody misses the node later', async () => {
  let now = Date.UTC(2026, 10, 30);
  api = await startDataApi({ nowMillis: () => now });
  const told = await call('ops')('PUT', '/v1/nodes/hk9/uplinks/cmi', uplinkMessage('down', 1, 1));
  expect(told).toMatchObject({ status: 404, body: { code: 'unknown-target' } });
  now += 3_600_000;
  expect(api.service.silentNodes()).toContain('hk1');
  expect(api.service.silentNodes()).not.toContain('hk9');
});

describe('statistics', () => {
  const rows = [
    {
      network: 'cm',
      asn: 9808,
      requests: 30,
      bytes: 3000,
      seconds: 3,
      cacheHits: 1,
      originErrors: 0,
      limited: 2,
    },
    {
      network: 'ct',
      asn: null,
      requests: 10,
      bytes: 500,
      seconds: 1,
      cacheHits: 0,
      originErrors: 0,
      limited: 0,
    },
  ];
  const summary = (node = 'hk1', atMillis = Date.now()): unknown => ({
    schema: 1,
    node,
    at: Math.floor(atMillis / 1000),
    seconds: 60,
    rows,
  });

  test('of an edge are counted once, by the carrier that its node has up, and given as CSV', async () => {
    api = await startDataApi();
    const message = summary();
    expect((await call('edge')('POST', '/v1/statistics', message)).status).toBe(202);
    expect(await call('edge')('POST', '/v1/statistics', message)).toMatchObject({
      status: 200,
      body: { counted: false },
    });
    const day = await call('reader')('GET', '/v1/statistics');
    expect(day.body).toMatchObject({
      shares: [
        { network: 'cm', asn: 9808, carrier: 'cmi', requestShare: 0.75 },
        { network: 'ct', asn: null, requestShare: 0.25 },
      ],
    });
    const csv = await fetch(`${api.url}/v1/statistics.csv`, {
      headers: { authorization: `Bearer ${dataTokens.reader}` },
    });
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect((await csv.text()).split('\r\n')[1]).toContain(',cm,9808,cmi,30,0.750000,3000,');
  });

  test.each([
    { name: 'about another node', token: 'edge', body: summary('hk2'), status: 403 },
    { name: 'from a reader', token: 'reader', body: summary(), status: 403 },
    { name: 'from another time', token: 'edge', body: summary('hk1', Date.now() - 3_600_000), status: 400 },
    { name: 'of another form', token: 'edge', body: { schema: 1 }, status: 400 },
  ] as const)('$name are refused with $status', async ({ token, body, status }) => {
    api = await startDataApi();
    expect((await call(token)('POST', '/v1/statistics', body)).status).toBe(status);
  });

  test('of a day that is not kept are 404, and of something else than a day 400', async () => {
    api = await startDataApi();
    expect((await call('reader')('GET', '/v1/statistics?day=2020-01-01')).body).toMatchObject({
      code: 'unknown-day',
    });
    expect((await call('reader')('GET', '/v1/statistics?day=../../etc/passwd')).status).toBe(400);
  });
});

test('metrics and the API description speak of all of it', async () => {
  api = await startDataApi();
  measureVietnam(api);
  await api.data.steerer.round();
  const metrics = await (await fetch(`${api.url}/metrics`)).text();
  for (const line of [
    'causeway_geodns_beacons_total{fate="counted"} 400',
    'causeway_geodns_steering_proposals{held="shadow"} 1',
    'causeway_geodns_frozen 0',
    'causeway_geodns_halved_shares 0',
  ])
    expect(metrics).toContain(`\n${line}\n`);
  expect(await call('reader')('GET', '/v1/geoip')).toMatchObject({
    status: 200,
    body: { isRefreshed: false },
  });
  expect((await call('ops')('POST', '/v1/geoip/refresh', {})).body).toMatchObject({ code: 'not-configured' });
});
