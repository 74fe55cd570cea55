/** What `npm run lab` shows: a table that renews itself on a terminal; elsewhere the state once, then each change. */
import { setTimeout as pause } from 'node:timers/promises';
import { renderStatus } from '../../src/cli/status-text.ts';
import { catalogueText } from '../faults/catalogue.ts';
import { nodeFiles } from '../node/config.ts';
import { waitHealthy, type Lab } from '../node/lab.ts';
import { readStatus } from '../node/program.ts';
import { startTimeline } from '../scenarios/timeline.ts';

const clearScreen = '\u001B[H\u001B[2J';
const everyMillis = 500;

/** More lines under the table, asked for each time. */
export type Beneath = () => Promise<string>;
const nothing: Beneath = () => Promise.resolve('');

/** Until the process is ended. */
export async function showLive(lab: Lab, url: string, beneath = nothing): Promise<never> {
  for (;;) {
    const [table, more] = await Promise.all([tableOf(lab, true), beneath()]);
    process.stdout.write(`${clearScreen}${table}\n${more}\n${footer(lab, url)}\n`);
    await pause(everyMillis);
  }
}

/** The state when all three are healthy. */
export async function showOnce(lab: Lab, url: string, beneath = nothing): Promise<void> {
  await waitHealthy(lab, 90_000);
  console.log(`${await tableOf(lab, false)}\n${await beneath()}\n${footer(lab, url)}`);
}

/** Each change as a line, until the process is ended. */
export async function showChanges(lab: Lab): Promise<never> {
  const timeline = startTimeline(lab);
  let shown = 0;
  for (;;) {
    const entries = timeline.entries();
    for (const { at, kind, text } of entries.slice(shown)) {
      console.log(`${new Date(at).toISOString()} ${kind.padEnd(8)} ${text}`);
    }
    shown = entries.length;
    await pause(everyMillis);
  }
}

async function tableOf(lab: Lab, colour: boolean): Promise<string> {
  const status = await readStatus(lab.network);
  if (status === null) return 'the daemon cannot be reached; `npm run lab -- mend` starts it';
  return renderStatus(status, { columns: process.stdout.columns ?? 100, colour });
}

function footer(lab: Lab, url: string): string {
  const { id } = lab.network;
  const files = nodeFiles(lab.network);
  return `status   ${url}
birdc    birdc -s ${files.birdSocket} show protocols      (carriers: cmi.ctl, pccw.ctl, hkbn.ctl beside it)
log      ${files.daemonLog}
break    npm run lab -- break cmi blackhole      mend: npm run lab -- mend${id === 'lab' ? '' : `      (with --id ${id})`}
${catalogueText}
End with Ctrl-C; everything is removed.`;
}
