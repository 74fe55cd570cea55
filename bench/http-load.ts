/**
 * What clients of the HTTP endpoint do to the daemon: a whole node with three carriers, its daemon under wrk at full rate,
 * thousands of requests at once, slow, broken and vanishing clients; and beside each, how late ticks are, and what is
 * measured of the carriers, against fping on the same path in the same seconds.
 */
import { parseArgs } from 'node:util';
import { freshLabId } from '../lab/network/names.ts';
import { type Lab, startLab, waitHealthy } from '../lab/node/lab.ts';
import { attacks } from './http-attacks.ts';
import { type Stage, runStage, type StageResult } from './http-stage.ts';
import { report } from './report.ts';

export const help = `http-load [--seconds N] [--write FILE.md] [--json]
  Ticks and probes of a whole lab node while its HTTP endpoint is under attack. Root is needed.`;

const reach = { lateMillis: 50, medianDifferenceMillis: 0.1 };

/** Exit code 0: no tick was later than 50 ms, nothing was lost, and round trips are as fping's, as at rest. */
export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '20' },
      write: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  });
  const lab = await startLab(freshLabId());
  try {
    await waitHealthy(lab, 120_000);
    const results = await runAll(lab, Number(values.seconds));
    const kept = results.every(isKept);
    const text = `${tableOf(results)}\n\n${kept ? 'All within reach.' : 'Not all within reach.'}`;
    report(args, { name: 'http-load', text, json: { results, kept }, isMarkdown: true });
    return kept ? 0 : 1;
  } finally {
    lab.remove();
  }
}

async function runAll(lab: Lab, seconds: number): Promise<readonly StageResult[]> {
  const stages: readonly Stage[] = [
    { name: 'rest', attack: null },
    ...attacks,
    { name: 'rest again', attack: null },
  ];
  const results: StageResult[] = [];
  for (const stage of stages) {
    process.stderr.write(`${stage.name}, ${seconds} s\n`);
    results.push(await runStage(lab, stage, seconds));
  }
  return results;
}

function isKept({ ticks, later, lost, notRun, oursMillis, fpingMillis }: StageResult): boolean {
  const differs = Math.abs(oursMillis - fpingMillis) > reach.medianDifferenceMillis;
  return ticks > 0 && later === 0 && lost === 0 && notRun === 0 && !differs;
}

function tableOf(results: readonly StageResult[]): string {
  return [
    `| clients | requests a second | ticks | later than ${reach.lateMillis} ms | 99 % of ticks within | probes | lost | not-run | RTT p50, ours / fping | memory |`,
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...results.map(
      (one) =>
        `| ${one.name} | ${one.requests.toFixed(0)} | ${one.ticks} | ${one.later} | ${one.lateP99Text} | ${one.probes} | ${one.lost} | ${one.notRun} | ${one.oursMillis.toFixed(3)} / ${one.fpingMillis.toFixed(3)} ms | ${(one.memoryBytes / 1e6).toFixed(0)} MB |`,
    ),
  ].join('\n');
}
