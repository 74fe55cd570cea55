/**
 * GeoDNS on real PowerDNS: from a node's report to the changed answer as users at each site see it, at rest and while they
 * ask; CPU of a question beside a plain A record in the same run; 20,000 questions in flight. Every answer is compared.
 */
import { parseArgs } from 'node:util';
import { parseSubnet } from '../geodns/address.ts';
import { createPrimaryZone, patchZone } from '../geodns/powerdns/client.ts';
import { powerDnsVersions } from '../lab/geodns/pdns-versions.ts';
import type { StandSite } from '../lab/geodns/stand.ts';
import { askAgain, cachingSite, cpuSeconds, quantile, send, type Stage, startStage } from './geodns-stage.ts';
import type { SenderQuestion, SenderReport } from './geodns-sender.ts';
import { report } from './report.ts';

export const help = `geodns-removal [--toggles N] [--rate N] [--in-flight N] [--pdns VERSION] [--write FILE.md] [--json]
  Removal to changed answer (primary p50 20 ms, secondaries p50 50 ms and p95 250 ms) under 5,000 questions a second, CPU a
  question beside a plain A record (4 times at most), 20,000 in flight. Needs PowerDNS (lab/setup geodns; lab/fetch-pdns).`;

const subnet = parseSubnet('120.196.1.0/24') ?? null;
const removed = '203.0.113.11';

interface Toggles {
  readonly title: string;
  readonly sites: readonly {
    readonly name: string;
    readonly p50: number;
    readonly p95: number;
    readonly max: number;
  }[];
  readonly call: { readonly p50: number; readonly p95: number };
  /** A PATCH of three rrsets of another zone in the same seconds: what no service can be below. */
  readonly patch: { readonly p50: number; readonly p95: number };
  /** Empty, failed or foreign answers that watchers and users got. */
  readonly bad: number;
  readonly users: SenderReport | null;
}

interface Cpu {
  readonly title: string;
  readonly microseconds: number;
  readonly perSecond: number;
  readonly wrong: number;
}

interface Figures {
  readonly version: string;
  readonly toggles: readonly Toggles[];
  readonly cpu: readonly Cpu[];
  readonly ratio: number;
  readonly flight: SenderReport & { readonly alive: boolean; readonly count: number };
}

export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      toggles: { type: 'string', default: '100' },
      rate: { type: 'string', default: '5000' },
      'in-flight': { type: 'string', default: '20000' },
      pdns: { type: 'string' },
      write: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  });
  const program = powerDnsVersions().find(({ version }) => version.startsWith(values.pdns ?? '?'));
  if (values.pdns !== undefined && program === undefined)
    throw new RangeError(`no PowerDNS ${values.pdns} here; lab/fetch-pdns fetches it`);
  const stage = await startStage(program);
  try {
    await preparePlain(stage);
    const count = Number(values.toggles);
    const clock = { seq: 2 };
    const toggles = [
      await toggle(stage, 'at rest', Math.ceil(count / 4), 0, clock),
      await toggle(stage, `under ${values.rate} questions a second`, count, Number(values.rate), clock),
    ];
    const cpu = await cpuPerQuestion(stage);
    const [geo, plain] = [cpu[0]?.microseconds ?? Number.NaN, cpu[1]?.microseconds ?? Number.NaN];
    const figures: Figures = {
      version: stage.stand.version,
      toggles,
      cpu,
      ratio: geo / plain,
      flight: await inFlight(stage, Number(values['in-flight'])),
    };
    const text = tableOf(figures);
    report(args, { name: 'geodns-removal', text, json: figures, isMarkdown: true });
    return isKept(figures) ? 0 : 1;
  } finally {
    await stage.stop();
  }
}

/** A zone without Lua: its A record is the peer of ours, and a PATCH of it the peer of a removal. */
async function preparePlain({ stand }: Stage): Promise<void> {
  const zone = 'plain.test.';
  for (const site of stand.sites) {
    await createPrimaryZone(site.api, zone, [
      {
        name: zone,
        type: 'SOA',
        ttlSeconds: 30,
        records: ['ns1.geo.test. hostmaster.geo.test. 1 60 30 60 30'],
      },
      { name: zone, type: 'NS', ttlSeconds: 30, records: ['ns1.geo.test.'] },
      { name: `www.${zone}`, type: 'A', ttlSeconds: 30, records: ['192.0.2.1'] },
    ]);
  }
}

async function toggle(
  stage: Stage,
  title: string,
  count: number,
  rate: number,
  clock: { seq: number },
): Promise<Toggles> {
  const { stand } = stage;
  const users = rate === 0 ? null : crowd(stage, rate);
  const times = stand.sites.map((): number[] => []);
  const [calls, patches]: [number[], number[]] = [[], []];
  let bad = 0;
  for (let each = 0; each < count; each += 1) {
    const state = each % 2 === 0 ? 'down' : 'up';
    clock.seq += 1;
    const began = performance.now();
    const call = stage.tell(state, clock.seq).then(() => calls.push(performance.now() - began));
    const seen = await Promise.all(stand.sites.map((site) => untilAnswer(site, state === 'up')));
    seen.forEach((one, index) => {
      times[index]?.push(one.at - began);
      bad += one.bad;
    });
    await call;
    patches.push(await barePatch(stand.sites[0], each));
    users?.extend();
  }
  const sent = (await users?.stop()) ?? null;
  return {
    title: `${title}, ${count} toggles`,
    sites: stand.sites.map(({ name }, index) => ({ name, ...figuresOf(times[index] ?? []) })),
    call: figuresOf(calls),
    patch: figuresOf(patches),
    bad: bad + (sent?.wrong ?? 0),
    users: sent,
  };
}

/** Users that ask all sites until they are stopped, in turns of a few seconds. */
function crowd(stage: Stage, perSecond: number): { extend(): void; stop(): Promise<SenderReport> } {
  const reports: Promise<SenderReport>[] = [];
  let until = 0;
  const seconds = 5;
  const extend = (): void => {
    if (performance.now() < until - 300) return;
    until = performance.now() + seconds * 1000;
    const servers = stage.stand.sites.map(({ dns }) => dns);
    const pace = { kind: 'rate', perSecond } as const;
    reports.push(send({ servers, pace, seconds, timeoutMillis: 2000, questions: stage.questions }));
  };
  extend();
  return { extend, stop: async () => sum(await Promise.all(reports)) };
}

function sum(reports: readonly SenderReport[]): SenderReport {
  const total = (key: 'sent' | 'answered' | 'lost' | 'wrong'): number =>
    reports.reduce((all, one) => all + one[key], 0);
  const middle = (pick: (one: SenderReport) => number): number => quantile(reports.map(pick), 0.5);
  return {
    sent: total('sent'),
    answered: total('answered'),
    lost: total('lost'),
    wrong: total('wrong'),
    examples: reports.flatMap(({ examples }) => examples).slice(0, 5),
    perSecond: middle((one) => one.perSecond),
    latencyMillis: {
      p50: middle((one) => one.latencyMillis.p50),
      p95: middle((one) => one.latencyMillis.p95),
      p99: middle((one) => one.latencyMillis.p99),
      max: Math.max(...reports.map((one) => one.latencyMillis.max)),
    },
  };
}

/** Asks again and again, one question at a time, until the removed address is there, or gone. */
async function untilAnswer(
  site: StandSite,
  present: boolean,
): Promise<{ readonly at: number; readonly bad: number }> {
  const deadline = performance.now() + 30_000;
  let bad = 0;
  while (performance.now() < deadline) {
    const { reply } = await askAgain(site, 'www.geo.test.', { subnet });
    if (reply.rcode !== 0 || reply.answers.length === 0) bad += 1;
    else if (reply.answers.some(({ data }) => data === removed) === present)
      return { at: performance.now(), bad };
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  throw new Error(`${site.name} did not change within 30 s`);
}

async function barePatch(site: StandSite, turn: number): Promise<number> {
  const began = performance.now();
  await patchZone(
    site.api,
    'plain.test.',
    [1, 2, 3].map((label) => ({
      name: `t${label}.plain.test.`,
      type: 'TXT',
      ttlSeconds: 30,
      records: [`"${turn} ${'x'.repeat(200)}"`],
    })),
  );
  return performance.now() - began;
}

/** Ours and a plain A record in turns at one site, and a plain A record out of the packet cache at another. */
async function cpuPerQuestion({ stand, questions }: Stage): Promise<readonly Cpu[]> {
  const plain: SenderQuestion[] = questions.map(({ subnet: from }) => ({
    name: 'www.plain.test.',
    subnet: from,
    allowed: ['192.0.2.1'],
  }));
  const caching = stand.sites.find(({ name }) => name === cachingSite) ?? stand.sites[2];
  // A wildcard is looked for twice, whatever its type; the plain one is none.
  const own = questions.filter(({ name }) => !name.includes('.v.'));
  const rows = [
    { title: 'by rules (LUA, GeoIP)', site: stand.sites[0], asked: own },
    { title: 'plain A, same server', site: stand.sites[0], asked: plain },
    { title: 'plain A out of the packet cache', site: caching, asked: plain },
  ];
  const costs = rows.map((): { micros: number[]; rates: number[]; wrong: number } => ({
    micros: [],
    rates: [],
    wrong: 0,
  }));
  for (let turn = 0; turn < 3; turn += 1) {
    for (const [index, { site, asked }] of rows.entries()) {
      const before = cpuSeconds(site.pid());
      const pace = { kind: 'rate', perSecond: 5000 } as const;
      const sent = await send({
        servers: [site.dns],
        pace,
        seconds: 3,
        timeoutMillis: 2000,
        questions: asked,
      });
      const used = cpuSeconds(site.pid()) - before;
      costs[index]?.micros.push((used * 1e6) / Math.max(1, sent.answered));
      costs[index]?.rates.push(sent.perSecond);
      if (costs[index] !== undefined) costs[index].wrong += sent.wrong;
    }
  }
  return rows.map(({ title }, index) => ({
    title,
    microseconds: quantile(costs[index]?.micros ?? [], 0.5),
    perSecond: quantile(costs[index]?.rates ?? [], 0.5),
    wrong: costs[index]?.wrong ?? 0,
  }));
}

async function inFlight({ stand, questions }: Stage, count: number): Promise<Figures['flight']> {
  const [site] = stand.sites;
  const before = site.pid();
  const sent = await send({
    servers: [site.dns],
    pace: { kind: 'in-flight', count },
    seconds: 10,
    timeoutMillis: 5000,
    questions,
  });
  const { reply } = await askAgain(site, 'www.geo.test.', { subnet });
  return { ...sent, count, alive: site.pid() === before && reply.answers.length > 0 };
}

function figuresOf(times: readonly number[]): {
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
} {
  return { p50: quantile(times, 0.5), p95: quantile(times, 0.95), max: quantile(times, 1) };
}

function isKept({ toggles, cpu, ratio, flight }: Figures): boolean {
  const loaded = toggles[1];
  const [primary, ...secondaries] = loaded?.sites ?? [];
  return (
    (primary?.p50 ?? Infinity) <= 20 &&
    secondaries.every(({ p50, p95 }) => p50 <= 50 && p95 <= 250) &&
    toggles.every(({ bad }) => bad === 0) &&
    cpu.every(({ wrong }) => wrong === 0) &&
    ratio <= 4 &&
    flight.alive &&
    flight.wrong === 0
  );
}

function tableOf({ version, toggles, cpu, ratio, flight }: Figures): string {
  const ms = (value: number): string => value.toFixed(1);
  const pair = ({ p50, p95 }: { p50: number; p95: number }): string => `${ms(p50)} / ${ms(p95)}`;
  const header = toggles[0]?.sites.map(({ name }) => name) ?? [];
  const rows = toggles.map(
    (one) =>
      `| ${one.title} | ${one.sites.map(pair).join(' | ')} | ${pair(one.call)} | ${pair(one.patch)} | ${one.bad} |`,
  );
  const users = toggles[1]?.users;
  const { latencyMillis: late } = flight;
  return `PowerDNS ${version}; milliseconds p50 / p95 from the report to the changed answer, the primary first

| when | ${header.join(' | ')} | reply of the API | bare PATCH of three rrsets | empty, failed or wrong answers |
| --- | ${header.map(() => '---').join(' | ')} | --- | --- | --- |
${rows.join('\n')}

Reach: primary p50 ≤ 20, secondaries p50 ≤ 50 and p95 ≤ 250, none wrong. Users meanwhile: ${users === null || users === undefined ? 'none' : `${Math.round(users.perSecond)}/s answered, p50 ${ms(users.latencyMillis.p50)} ms, ${users.lost} of ${users.sent} lost, ${users.wrong} wrong`}.

| a question | CPU of pdns_server, µs | answered a second | wrong |
| --- | --- | --- | --- |
${cpu.map((one) => `| ${one.title} | ${ms(one.microseconds)} | ${Math.round(one.perSecond)} | ${one.wrong} |`).join('\n')}

Ours / plain A of the same server: ${ratio.toFixed(2)} (reach ≤ 4).

${flight.count} in flight for 10 s: ${Math.round(flight.perSecond)}/s answered, ${flight.wrong} wrong, ${flight.lost} of ${flight.sent} lost (${((100 * flight.lost) / Math.max(1, flight.sent)).toFixed(2)} %), p50 ${ms(late.p50)} ms, p95 ${ms(late.p95)} ms, p99 ${ms(late.p99)} ms; PowerDNS ${flight.alive ? 'lives' : 'DIED'}.`;
}
