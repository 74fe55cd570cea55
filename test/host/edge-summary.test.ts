/** A real nginx tells a real GeoDNS API what it served: sums by network and ASN, once each, over reloads and outages. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { emptyDay } from '../../geodns/statistics/day.ts';
import { type Share, sharesOf } from '../../geodns/statistics/shares.ts';
import { freePorts } from '../../edge/lab/process.ts';
import { dataTokens, type DataApi, startDataApi } from '../support/geodns-data.ts';
import { type Edge, get, startEdge, until, users } from '../support/edge.ts';

let api: DataApi;
let edge: Edge;

const geodns = (dir: string, port: number): Record<string, unknown> => ({
  geodns: {
    address: { host: '127.0.0.1', port },
    token_file: join(dir, 'geodns.token'),
    every: '1s',
    timeout: '1s',
  },
});
const portOf = ({ url }: DataApi): number => Number(new URL(url).port);

beforeAll(async () => {
  api = await startDataApi();
  edge = await startEdge(({ dir }) => geodns(dir, portOf(api)), {
    prepare: (dir) => writeFileSync(join(dir, 'geodns.token'), `${dataTokens.edge}\n`),
  });
});
afterAll(async () => {
  await edge?.stop();
  await api?.stop();
});

async function told(): Promise<Readonly<Record<string, number>>> {
  const now = Date.now();
  const day = await api.data.statistics.day(new Date(now).toISOString().slice(0, 10), now);
  const sums: Record<string, number> = {};
  for (const { network, asn, requests } of sharesOf(day ?? emptyDay('2026-11-30')))
    sums[`${network} ${asn}`] = (sums[`${network} ${asn}`] ?? 0) + requests;
  return sums;
}
const tells = (wanted: Readonly<Record<string, number>>): Promise<unknown> =>
  until(
    `GeoDNS to know ${JSON.stringify(wanted)}`,
    async () => {
      const now = await told();
      return Object.entries(wanted).every(([key, count]) => now[key] === count) ? true : undefined;
    },
    60_000,
  );
const ask = async (client: string, count: number): Promise<void> => {
  for (let one = 0; one < count; one += 1) await get(edge.port, { client });
};

test('what was served is told by access network and ASN, with bytes and time, and without any address', async () => {
  await ask(users.ct, 3);
  await ask(users.cm, 5);
  await ask(users.unknown, 2);
  await tells({ 'ct 4134': 3, 'cm 9808': 5, 'unknown null': 2 });
  const now = Date.now();
  const day = await api.data.statistics.day(new Date(now).toISOString().slice(0, 10), now);
  const mobile = sharesOf(day ?? emptyDay('2026-11-30')).find(({ network }: Share) => network === 'cm');
  expect(mobile).toMatchObject({ asn: 9808, carrier: 'cmi', limited: 0 });
  expect(mobile?.bytes).toBeGreaterThan(5 * 'served here'.length);
  expect(JSON.stringify([...(day?.traffic.values() ?? [])])).not.toContain('198.18');
});

test('a reload tells nothing twice', async () => {
  await edge.reload();
  await ask(users.cm, 4);
  await tells({ 'ct 4134': 3, 'cm 9808': 9 });
});

test('while GeoDNS is away messages are dropped and counted, requests go on, and later ones are told', async () => {
  const [nobody = 0] = await freePorts(1);
  await edge.rewrite(({ dir }) => geodns(dir, nobody));
  await edge.reload();
  await ask(users.cu, 2);
  await until(
    'a message to be dropped',
    async () => ((await edge.metric('edge_summary_total{result="away"}')) > 0 ? true : undefined),
    60_000,
  );
  expect((await get(edge.port, { client: users.cu })).status).toBe(200);
  await edge.rewrite(({ dir }) => geodns(dir, portOf(api)));
  await edge.reload();
  await ask(users.ct, 1);
  await tells({ 'ct 4134': 4, 'cm 9808': 9 });
  expect(edge.troubles()).toEqual([]);
});

test('a token that GeoDNS refuses is counted, and the log says so', async () => {
  writeFileSync(join(edge.dir, 'geodns.token'), 'token-that-nobody-knows');
  await edge.reload();
  await ask(users.ct, 1);
  await until(
    'the refusal',
    async () => ((await edge.metric('edge_summary_total{result="refused"}')) > 0 ? true : undefined),
    60_000,
  );
  expect(edge.log()).toContain('GeoDNS was not told what was served: HTTP/1.1 401');
});
