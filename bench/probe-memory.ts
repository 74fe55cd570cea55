/** Whether the prober's memory stays flat over millions of probes, at a rate that no node of usual size needs. */
import { parseArgs } from 'node:util';
import { insideStand, measuring, sleep, tasksAt } from './probe-stand.ts';
import { report } from './report.ts';

export const help = `probe-memory [--probes N] [--write FILE.md] [--json]
  Memory of the prober at each tenth of 10,000,000 probes, 5,000 a second (half an hour); --probes: of so many`;

const targets = 100;
const perSecond = 5000;
/** Between the first tenth, in which compilers and pools warm up, and the last. */
const reachMegabytes = 4;

interface Row {
  readonly probes: number;
  readonly megabytes: number;
  readonly lost: number;
  readonly notRun: number;
}

/** Exit code 0: it is flat. */
export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      probes: { type: 'string', default: '10000000' },
      write: { type: 'string' },
      json: { type: 'boolean', default: false },
      inside: { type: 'boolean', default: false },
    },
  });
  if (!values.inside) return insideStand(process.argv[1] ?? '', ['probe-memory', ...args], targets);
  const rows = await measure(Number(values.probes));
  const [first, last] = [rows[0]?.megabytes ?? 0, rows.at(-1)?.megabytes ?? 0];
  const kept = last - first <= reachMegabytes;
  const text = [
    '| probes | memory | lost | not-run |',
    '| --- | --- | --- | --- |',
    ...rows.map(
      ({ probes, megabytes, lost, notRun }) =>
        `| ${probes.toLocaleString('en')} | ${megabytes.toFixed(1)} MB | ${lost} | ${notRun} |`,
    ),
    '',
    `From the first tenth to the last: ${(last - first).toFixed(1)} MB (reach ≤ ${reachMegabytes}).`,
  ].join('\n');
  report(args, { name: 'probe-memory', text, json: { rows, kept }, isMarkdown: true });
  return kept ? 0 : 1;
}

async function measure(total: number): Promise<readonly Row[]> {
  const measured = await measuring(tasksAt(targets, (1000 * targets) / perSecond), 'icmp-socket');
  const counts = { probes: 0, lost: 0, notRun: 0 };
  const rows: Row[] = [];
  try {
    while (rows.length < 10) {
      await sleep(1000);
      // Emptied each second: what is kept here must not be the machine's memory.
      for (const { outcome } of measured.samples.splice(0)) {
        counts.probes += 1;
        if (outcome.kind === 'lost') counts.lost += 1;
        if (outcome.kind === 'not-run') counts.notRun += 1;
      }
      if (counts.probes < ((rows.length + 1) * total) / 10) continue;
      rows.push({ ...counts, megabytes: measured.state().rssBytes / 1e6 });
      process.stderr.write(`${counts.probes.toLocaleString('en')} probes\n`);
    }
  } finally {
    await measured.prober.stop();
  }
  return rows;
}
