/**
 * From a node's report to the changed answer, as users at each site see it: the time from sending the request to the
 * first right answer, for removal and return in turn. Run: `node dist/bench/geodns-removal.js [toggles]` after a build.
 */
import { spawn } from 'node:child_process';
import { ask } from '../geodns/dns/ask.ts';
import { parseSubnet } from '../geodns/address.ts';
import { labTokens, writeServiceFiles } from '../lab/geodns/service.ts';
import { startStand, type StandSite } from '../lab/geodns/stand.ts';
import { worldMmdbs } from '../lab/geodns/world.ts';

const toggles = Number(process.argv[2] ?? 100);
const subnet = parseSubnet('120.196.1.0/24') ?? null;
const removed = '203.0.113.11';

async function main(): Promise<void> {
  const stand = await startStand(worldMmdbs());
  try {
    const listen = `${stand.sites[0].dns.host}:8053`;
    const config = await writeServiceFiles(stand, listen);
    const service = spawn(process.execPath, ['bin/causeway-geodns', 'run', '-c', config], {
      stdio: 'ignore',
    });
    try {
      for (const site of stand.sites) await untilAnswer(site, true);
      const times = stand.sites.map((): number[] => []);
      const calls: number[] = [];
      let wrong = 0;
      for (let toggle = 0; toggle < toggles; toggle += 1) {
        const state = toggle % 2 === 0 ? 'down' : 'up';
        const started = performance.now();
        const call = report(`http://${listen}`, state, toggle).then(() =>
          calls.push(performance.now() - started),
        );
        const seen = await Promise.all(stand.sites.map((site) => untilAnswer(site, state === 'up')));
        seen.forEach(({ at, bad }, index) => {
          times[index]?.push(at - started);
          wrong += bad;
        });
        await call;
      }
      console.log(
        `PowerDNS ${stand.version}, ${toggles} toggles, milliseconds p50 / p95 / max; ${wrong} empty or failed answers`,
      );
      stand.sites.forEach((site, index) =>
        console.log(`  ${site.name.padEnd(8)} ${figures(times[index] ?? [])}`),
      );
      console.log(`  ${'API call'.padEnd(8)} ${figures(calls)}`);
    } finally {
      service.kill();
    }
  } finally {
    await stand.stop();
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

/** Asks every millisecond, and one question at a time, until the removed address is there, or gone. */
async function untilAnswer(
  site: StandSite,
  present: boolean,
): Promise<{ readonly at: number; readonly bad: number }> {
  const deadline = performance.now() + 30_000;
  let bad = 0;
  while (performance.now() < deadline) {
    const reply = await ask(site.dns, 'www.geo.test.', 'A', { subnet });
    if (reply.rcode !== 0 || reply.answers.length === 0) bad += 1;
    else if (reply.answers.some(({ data }) => data === removed) === present)
      return { at: performance.now(), bad };
  }
  throw new Error(`${site.name} did not change within 30 s`);
}

function figures(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): string =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
  return `${at(0.5)} / ${at(0.95)} / ${at(1)}`;
}

await main();
