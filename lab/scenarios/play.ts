/** Plays a scenario in a lab and reports how it went. */
import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '../../src/types/message-of.ts';
import { nodeConfig, nodeFiles, type NodeOptions } from '../node/config.ts';
import { startAnew, waitAnnounced, waitHealthy, type Lab } from '../node/lab.ts';
import { openStage, type Scenario } from './stage.ts';
import type { EntryKind } from './timeline.ts';

export interface ReportEntry {
  /** Milliseconds since the scenario's first fault or step; negative before it. */
  readonly sinceFaultMillis: number;
  readonly kind: EntryKind;
  readonly text: string;
}

export interface Report {
  readonly scenario: string;
  readonly passed: boolean;
  /** What did not go as it should; null: nothing. */
  readonly failure: string | null;
  readonly tookMillis: number;
  /** Milliseconds from a change to what a carrier then saw: `black hole behind cmi → cmi withdraw`. */
  readonly measured: Readonly<Record<string, number>>;
  readonly timeline: readonly ReportEntry[];
}

/** Brings the lab to where this scenario begins; one that runs with these options and is healthy is used as it is. */
export async function prepare(lab: Lab, wanted: NodeOptions, present: NodeOptions | null): Promise<void> {
  const files = nodeFiles(lab.network);
  const fits = present !== null && isDeepStrictEqual(nodeConfig(files, present), nodeConfig(files, wanted));
  if (fits && wanted.proxy !== true && (await becomesHealthy(lab))) return;
  await startAnew(lab, wanted);
  await readyFor(lab, wanted);
}

/** Waits until a scenario with these options may begin. Behind the proxy it starts the daemon itself. */
export async function readyFor(lab: Lab, node: NodeOptions): Promise<void> {
  await (node.proxy === true ? waitAnnounced(lab) : waitHealthy(lab));
}

/** One that was just started needs its first window; one that a scenario left broken would not become so. */
async function becomesHealthy(lab: Lab): Promise<boolean> {
  try {
    await waitHealthy(lab, 12_000);
    return true;
  } catch {
    return false;
  }
}

/** Never throws for what goes wrong in the scenario: that is in the report. */
export async function play(lab: Lab, scenario: Scenario): Promise<Report> {
  const began = performance.now();
  const stage = await openStage(lab);
  let failure: string | null = null;
  try {
    await scenario.run(stage);
  } catch (error) {
    failure = messageOf(error);
  }
  const entries = stage.timeline.entries();
  stage.timeline.stop();
  const start = entries.find(({ kind }) => kind === 'fault' || kind === 'step')?.at ?? entries[0]?.at ?? 0;
  return {
    scenario: scenario.name,
    passed: failure === null,
    failure,
    tookMillis: Math.round(performance.now() - began),
    measured: Object.fromEntries(stage.measured),
    timeline: entries.map(({ at, kind, text }) => ({ sinceFaultMillis: at - start, kind, text })),
  };
}

/** For a terminal: one line an entry. */
export function reportText(report: Report): string {
  const lines = report.timeline.map(
    ({ sinceFaultMillis, kind, text }) =>
      `${String(sinceFaultMillis).padStart(7)} ms  ${kind.padEnd(8)} ${text}`,
  );
  const figures = Object.entries(report.measured).map(([what, millis]) => `${what} ${millis} ms`);
  const verdict =
    report.failure === null
      ? `passed in ${(report.tookMillis / 1000).toFixed(1)} s`
      : `FAILED after ${(report.tookMillis / 1000).toFixed(1)} s: ${report.failure}`;
  return [
    `scenario ${report.scenario}`,
    ...lines,
    ...(figures.length === 0 ? [] : [`measured: ${figures.join('; ')}`]),
    verdict,
  ].join('\n');
}
