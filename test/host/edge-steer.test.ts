/** Steering on a real nginx: notes §2 (A1, A2, A8, A12, A13) and the ladder of edge/lua/edge/steer.lua. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { get, snapshot, startEdge, until, users } from '../support/edge.ts';
import type { Edge } from '../support/edge.ts';

const both = {
  hk1: { carriers: { cmi: true, pccw: true, hkbn: true } },
  hk2: { carriers: { cmi: true, pccw: true, hkbn: true } },
};
const cmiDownHere = { ...both, hk1: { carriers: { cmi: false, pccw: true, hkbn: true } } };

describe('steering', () => {
  let edge: Edge;
  beforeAll(async () => {
    edge = await startEdge({ steering: { redirects: '1000/1min' } });
  });
  afterAll(() => edge.stop());

  test('without a word from the daemon everybody is served', async () => {
    expect((await get(edge.port, { client: users.cm })).status).toBe(200);
    await edge.counted('edge_steer_total{network="cm",action="serve",reason="no-state"}', 1);
  });

  test('a user whose carrier is up here is served here', async () => {
    expect((await edge.put(snapshot(both))).status).toBe(200);
    const reply = await get(edge.port, { client: users.cm });
    expect([reply.status, reply.body]).toEqual([200, 'served here\n']);
  });

  test('a Mobile user is redirected to the node that has CMI, by name, with path and query, and nobody may store that (A1, A9, A12)', async () => {
    await edge.put(snapshot(cmiDownHere));
    const reply = await get(edge.port, { client: users.cm, path: '/a%20b/c?x=1&y=%0d%0aSet-Cookie:z' });
    expect(reply.status).toBe(302);
    expect(reply.headers.location).toBe('http://hk2.edge.test/a%20b/c?x=1&y=%0d%0aSet-Cookie:z');
    expect(reply.headers['cache-control']).toBe('private, no-store');
    expect((await get(edge.port, { client: '2001:db8:3::9' })).status).toBe(302);
    // Of another of Mobile's many ASNs (A9).
    expect((await get(edge.port, { client: '198.18.6.7' })).status).toBe(302);
  });

  test.each([
    ['a Telecom user, whose carriers are up here', { client: users.ct }],
    ['a user of a cloud', { client: users.cloud }],
    ['a user of an excluded ASN', { client: users.excluded }],
    ['a user of an unlisted ASN', { client: users.unknown }],
    ['a user of no known prefix', { client: '192.0.2.1' }],
    ['a POST', { client: users.cm, method: 'POST' }],
    ['a request to a node’s own name', { client: users.cm, host: 'hk1.edge.test' }],
    ['a request to another node’s own name', { client: users.cm, host: 'HK2.edge.test' }],
  ])('%s is not redirected (A13)', async (_, options) => {
    expect((await get(edge.port, options)).status).not.toBe(302);
  });

  test('a prefix override goes before the ASN, the longer one first', async () => {
    await edge.put(snapshot(cmiDownHere));
    expect((await get(edge.port, { client: '203.0.113.5' })).status).toBe(302);
    expect((await get(edge.port, { client: '203.0.113.200' })).status).toBe(200);
  });

  test('a carrier that is down on every node means the next carrier, and none at all means serve', async () => {
    const noCmi = {
      hk1: { carriers: { cmi: false, pccw: true } },
      hk2: { carriers: { cmi: false, pccw: true } },
    };
    await edge.put(snapshot(noCmi));
    expect((await get(edge.port, { client: users.cm })).status).toBe(200);
    await edge.put(snapshot({ hk1: { carriers: { cmi: false } }, hk2: { carriers: { cmi: false } } }));
    expect((await get(edge.port, { client: users.cm })).status).toBe(200);
    await edge.counted('edge_steer_total{network="cm",action="serve",reason="nowhere"}', 1);
  });

  test('a node that does not accept, or has no weight, is nobody’s target', async () => {
    const away = {
      hk1: { carriers: { cmi: false } },
      hk2: { carriers: { cmi: true }, accepting: false },
      hk3: { carriers: { cmi: true }, weight: 0 },
    };
    await edge.put(snapshot(away));
    expect((await get(edge.port, { client: users.cm })).status).toBe(200);
  });

  test('a state older than its ttl redirects nobody, and a new one does at once', async () => {
    await edge.put(snapshot(cmiDownHere, { ttlMillis: 1 }));
    await until('the state is stale', async () =>
      (await edge.metric('edge_state_age_seconds')) > 0.001 ? true : undefined,
    );
    const stale = await get(edge.port, { client: users.cm });
    expect(stale.status).toBe(200);
    await edge.counted('edge_steer_total{network="cm",action="serve",reason="stale"}', 1);
    await edge.put(snapshot(cmiDownHere));
    expect((await get(edge.port, { client: users.cm })).status).toBe(302);
  });

  test('an older message never replaces a newer one, and the answer says what is newest', async () => {
    const old = snapshot(both);
    const newer = snapshot(cmiDownHere);
    expect((await edge.put(newer)).status).toBe(200);
    const answer = await edge.put(old);
    expect([answer.status, JSON.parse(answer.body)]).toEqual([409, { epoch: newer.epoch, seq: newer.seq }]);
    expect((await edge.put({ ...newer, nodesActive: 9 })).status).toBe(409);
    expect((await edge.put(newer)).status).toBe(200);
    expect((await get(edge.port, { client: users.cm })).status).toBe(302);
  });

  test('of many messages at once the newest stays, in whatever order they come', async () => {
    const messages = Array.from({ length: 40 }, () => snapshot(cmiDownHere));
    const newest = messages.at(-1)?.seq;
    const answers = await Promise.all(
      [...messages].sort((a, b) => ((a.seq * 7) % 40) - ((b.seq * 7) % 40)).map((one) => edge.put(one)),
    );
    for (const answer of answers) expect([200, 409]).toContain(answer.status);
    expect(await edge.metric('edge_state_seq')).toBe(newest);
  });

  const good = snapshot(both);
  test.each([
    ['cut short', JSON.stringify(good).slice(0, -5), 'not JSON'],
    ['empty', '', 'no body'],
    ['a list', [], 'schema'],
    ['of another version', { ...good, schema: 2 }, 'version 2'],
    [
      'with a host that ends the header',
      { ...good, nodes: { hk2: { ...good.nodes['hk2'], host: 'a.test\r\nX: y' } } },
      'nodes.hk2.host',
    ],
    [
      'with a host that is a path',
      { ...good, nodes: { hk2: { ...good.nodes['hk2'], host: 'a.test/..//evil' } } },
      'nodes.hk2.host',
    ],
    ['with a score of 101', snapshot({ hk1: { carriers: { cmi: 101 } } }), 'score'],
    [
      'with an origin by name',
      { ...good, origins: { app: [{ address: 'localhost', port: 80, up: true }] } },
      'origins.app.1.address',
    ],
  ])('a snapshot that is %s is refused whole with its reason', async (_, body, reason) => {
    const answer = await edge.put(body);
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining(reason)]);
    expect((await get(edge.port, { client: users.cm })).status).toBe(302);
  });

  test('a forged X-Forwarded-For from a stranger moves nobody', async () => {
    const reply = await get(edge.port, { client: users.cm, from: '127.0.0.9' });
    expect(reply.status).toBe(200);
    const behind = await get(edge.port, { headers: { 'x-forwarded-for': `${users.ct}, ${users.cm}` } });
    expect(behind.status).toBe(302);
  });
});

test('in shadow everybody is served, and who would have been redirected is counted', async () => {
  const edge = await startEdge({ steering: { shadow: true } });
  try {
    await edge.put(snapshot(cmiDownHere));
    for (let i = 0; i < 5; i += 1) expect((await get(edge.port, { client: users.cm })).status).toBe(200);
    await edge.counted('edge_steer_total{network="cm",action="serve",reason="shadow"}', 5);
  } finally {
    await edge.stop();
  }
});

test('the fourth redirect of a client within a minute is served instead', async () => {
  const edge = await startEdge();
  try {
    await edge.put(snapshot(cmiDownHere));
    const codes: number[] = [];
    for (let i = 0; i < 5; i += 1) codes.push((await get(edge.port, { client: users.cm })).status);
    expect(codes).toEqual([302, 302, 302, 200, 200]);
    expect((await get(edge.port, { client: '198.18.2.8' })).status).toBe(302);
  } finally {
    await edge.stop();
  }
});
