/** What the GeoDNS benchmarks run on: three sites, the built service, users and what they may be answered. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseSubnet } from '../geodns/address.ts';
import { ask, type AskOptions, DnsError } from '../geodns/dns/ask.ts';
import type { Reply } from '../geodns/dns/message.ts';
import { labTokens, writeServiceFiles } from '../lab/geodns/service.ts';
import type { PowerDnsProgram } from '../lab/geodns/pdns-versions.ts';
import { type Stand, startStand, type StandSite } from '../lab/geodns/stand.ts';
import { places, worldMmdbs } from '../lab/geodns/world.ts';
import { waitUntil } from '../lab/network/wait.ts';
import type { SenderOrder, SenderQuestion, SenderReport } from './geodns-sender.ts';

export interface Stage {
  readonly stand: Stand;
  /** As users see it: right while everything is up, and while hk1/cmi is down. */
  readonly questions: readonly SenderQuestion[];
  /** Resolves when the service has acknowledged. */
  tell(state: 'up' | 'down', seq: number): Promise<void>;
  stop(): Promise<void>;
}

/** Names of the lab's rules that are answered with all addresses of a pool. */
const names = ['www.geo.test.', 'img.geo.test.', 'deep.v.geo.test.'];
/** The last site keeps plain answers in its packet cache, as PowerDNS does by default. */
export const cachingSite = 'sin';

export async function startStage(program?: PowerDnsProgram): Promise<Stage> {
  const stand = await startStand(worldMmdbs(), {
    ...(program === undefined ? {} : { program }),
    settings: (site) => (site === cachingSite ? ['cache-ttl=20'] : []),
  });
  const listen = `${stand.sites[0].dns.host}:8053`;
  const config = await writeServiceFiles(stand, listen);
  const argv = ['--pdeathsig', 'KILL', process.execPath, 'bin/causeway-geodns', 'run', '-c', config];
  const service = spawn('setpriv', argv, { stdio: 'ignore' });
  const tell = (state: 'up' | 'down', seq: number): Promise<void> => report(`http://${listen}`, state, seq);
  const stop = async (): Promise<void> => {
    service.kill();
    await stand.stop();
  };
  try {
    for (const site of stand.sites)
      await waitUntil('the sites to answer', async () => (await answerOf(site, '120.196.1.0/24')) !== '', {
        timeoutMillis: 60_000,
      });
    const questions = await allowedAnswers(stand.sites[1], tell);
    return { stand, questions, tell, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Each user's answer with the uplink up and down, as one site gives it at rest; the tests prove that these are right. */
async function allowedAnswers(
  site: StandSite,
  tell: (state: 'up' | 'down', seq: number) => Promise<void>,
): Promise<readonly SenderQuestion[]> {
  const users = places.flatMap(({ v4, v6 }) => [
    subnetOf(v4, 24),
    ...(v6 === null ? [] : [subnetOf(v6, 56)]),
  ]);
  const asked = users.flatMap((subnet) => names.map((name) => ({ name, subnet })));
  const up = await Promise.all(asked.map(({ name, subnet }) => answerOf(site, subnet, name)));
  await tell('down', 1);
  await waitUntil('the removal', async () => (await answerOf(site, '120.196.1.0/24')) === '203.0.113.41');
  const down = await Promise.all(asked.map(({ name, subnet }) => answerOf(site, subnet, name)));
  await tell('up', 2);
  await waitUntil('the return', async () => (await answerOf(site, '120.196.1.0/24')) !== '203.0.113.41');
  // Users of weighted pools are answered with one of several, which proves less.
  return asked
    .map((one, index) => ({ ...one, allowed: [...new Set([up[index] ?? '', down[index] ?? ''])] }))
    .filter(({ allowed }) => allowed.every((text) => text !== ''));
}

function subnetOf(prefix: string, length: number): string {
  const [base = ''] = prefix.split('/');
  return `${base}/${length}`;
}

async function answerOf(site: StandSite, subnet: string, name = 'www.geo.test.'): Promise<string> {
  const { reply } = await askAgain(site, name, { subnet: parseSubnet(subnet) ?? null });
  return reply.answers
    .map(({ data }) => data ?? '')
    .sort()
    .join(' ');
}

/** As resolvers do: again where no reply comes within 2 s. `unanswered`: how often that was. */
export async function askAgain(
  site: StandSite,
  name: string,
  options: AskOptions,
): Promise<{ readonly reply: Reply; readonly unanswered: number }> {
  for (let unanswered = 0; ; unanswered += 1) {
    try {
      return { reply: await ask(site.dns, name, 'A', { ...options, timeoutMillis: 2000 }), unanswered };
    } catch (error) {
      if (!(error instanceof DnsError) || error.code !== 'dns-timeout' || unanswered === 15) throw error;
    }
  }
}

async function report(base: string, state: string, seq: number): Promise<void> {
  const response = await fetch(`${base}/v1/nodes/hk1/carriers/cmi`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${labTokens.hk1}`, 'content-type': 'application/json' },
    body: JSON.stringify({ state, epoch: 1, seq, reason: 'bench' }),
  });
  if (response.status !== 202) throw new Error(`${response.status} ${await response.text()}`);
  await response.text();
}

/** Asks from a process of its own. */
export function send(order: SenderOrder): Promise<SenderReport> {
  const program = fileURLToPath(new URL('geodns-sender.js', import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(order));
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.on('error', reject);
    child.on('close', (status) => {
      if (status !== 0) reject(new Error(`the sender ended with ${status}`));
      else resolve(JSON.parse(text) as SenderReport);
    });
  });
}

/** User and system time of a process in seconds (proc(5): fields 14 and 15, in hundredths). */
export function cpuSeconds(pid: number | null): number {
  if (pid === null) throw new Error('PowerDNS does not run');
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

export function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
