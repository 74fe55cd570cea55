/** The tools that people use today, and ours, in the same lab with the same faults, one after the other. */
import { hostname } from 'node:os';
import { writeMarked } from '../write-marked.ts';
import { type Figures, playCases } from './cases.ts';
import { startPeerStand } from './stand.ts';
import { tools } from './tools.ts';
import type { Tool } from './tool.ts';

export const help = `peers [--only NAME,…] [--json] [--write FILE]
  Causeway beside keepalived, exabgp's healthcheck (as their packages bring them) and modelled rules, about nine minutes each:
  time to withdraw and to return, partial loss, a dead target, all uplinks dead, and what happens when the tool dies`;

interface Row {
  readonly name: string;
  readonly version: string;
  readonly set: string;
  readonly cannot: string;
  readonly figures: Figures;
}

export async function run(args: readonly string[]): Promise<number> {
  const asked = valueOf(args, '--only')?.split(',');
  const chosen = tools.filter(({ name }) => asked === undefined || asked.includes(name));
  const rows: Row[] = [];
  const stand = await startPeerStand();
  try {
    for (const tool of chosen) {
      const row = await rowOf(tool, (text) => console.error(`${hostname()}: ${tool.name}: ${text}`), stand);
      if (row === null) console.error(`${tool.name}: not installed here, left out`);
      else rows.push(row);
    }
  } finally {
    stand.remove();
  }
  if (args.includes('--json')) console.log(JSON.stringify(rows, null, 2));
  else console.log(textOf(rows));
  const file = valueOf(args, '--write');
  if (file !== undefined) writeMarked(file, 'peers', textOf(rows));
  return 0;
}

function valueOf(args: readonly string[], option: string): string | undefined {
  const at = args.indexOf(option);
  return at === -1 ? undefined : args[at + 1];
}

async function rowOf(
  tool: Tool,
  say: (text: string) => void,
  stand: Awaited<ReturnType<typeof startPeerStand>>,
): Promise<Row | null> {
  const version = await tool.version();
  if (version === null) return null;
  const figures = await playCases(stand, () => tool.start(stand), say);
  return { name: tool.name, version, set: tool.set, cannot: tool.cannot, figures };
}

function textOf(rows: readonly Row[]): string {
  const seconds = (value: number | null): string => (value === null ? 'never' : value.toFixed(1));
  const measured = rows.map(({ name, version, figures: of }) =>
    [
      `${name}${version === 'modelled' ? '' : ` ${version}`}`,
      seconds(of.withdrawSeconds),
      seconds(of.returnSeconds),
      of.collateral,
      seconds(of.lossySeconds),
      of.lossyUpdates,
      of.falseWithdrawals,
      `${of.keptWhenAllFail} of 3`,
      of.lostByDeath === 0 ? 'stays' : `${of.lostByDeath} of 3 lost`,
      of.sessionsLost,
    ].join(' | '),
  );
  const set = rows.map(({ name, set: words, cannot }) => [name, words, cannot].join(' | '));
  return [
    '| tool | black hole → gone, s | mended → back, s | UPDATEs at the others | 20 % loss → gone, s | UPDATEs in that minute | false withdrawals, one target dead | kept when all fail | when the tool is killed | sessions lost |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...measured.map((line) => `| ${line} |`),
    '',
    '| tool | set to | cannot |',
    '| --- | --- | --- |',
    ...set.map((line) => `| ${line} |`),
  ].join('\n');
}
