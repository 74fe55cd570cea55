/** The tools that people use today, and ours, in the same lab with the same faults, one after the other. */
import { writeFileSync } from 'node:fs';
import { cpus, release } from 'node:os';
import { parseArgs } from 'node:util';
import { messageOf } from '../../src/types/message-of.ts';
import { report } from '../report.ts';
import { playCases } from './cases.ts';
import { plotOf } from './plot.ts';
import { type PeerStand, startPeerStand } from './stand.ts';
import { type Row, textOf } from './table.ts';
import type { Tool } from './tool.ts';
import { tools } from './tools.ts';
import { versionOf } from './version.ts';

export const help = `peers [--only NAME,…] [--rounds N] [--plot FILE.svg] [--write FILE.md] [--json]
  Causeway beside keepalived, exabgp's healthcheck (as their packages bring them) and modelled rules, about ten minutes each:
  time to withdraw and to return, partial loss, a dead target, all uplinks dead, and what happens when the tool dies
  --rounds  black holes for each tool (5); the rest is played once
  Needs keepalived and exabgp (lab/setup peers); what is missing is left out.`;

export async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      rounds: { type: 'string', default: '5' },
      plot: { type: 'string' },
      write: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  });
  const chosen = chosenOf(values.only);
  const rows: Row[] = [];
  const stand = await startPeerStand();
  try {
    for (const tool of chosen) {
      const row = await rowOf(tool, Number(values.rounds), stand);
      if (typeof row === 'string') process.stderr.write(`peers: ${tool.name} is left out: ${row}\n`);
      else rows.push(row);
    }
  } finally {
    stand.remove();
  }
  const machine = `${cpus().length} cores (${cpus()[0]?.model.trim() ?? '?'}), Linux ${release().split('-')[0]}`;
  const bird = await versionOf('bird', ['--version'], /([\d.]+)/);
  const text = textOf(rows, `BIRD ${bird}, ${machine}; IPv4`);
  if (values.plot !== undefined) writeFileSync(values.plot, plotOf(rows));
  report(args, { name: 'peers', text, json: rows, isMarkdown: true });
  return rows.length === chosen.length ? 0 : 1;
}

function chosenOf(only: string | undefined): readonly Tool[] {
  if (only === undefined) return tools;
  const names = only.split(',');
  const unknown = names.find((name) => !tools.some((tool) => tool.name === name));
  if (unknown !== undefined)
    throw new RangeError(`no tool ${unknown}; there are: ${tools.map(({ name }) => name).join(', ')}`);
  return tools.filter(({ name }) => names.includes(name));
}

/** A text: why there is none. One tool that fails does not take an hour of the others' figures along. */
async function rowOf(tool: Tool, rounds: number, stand: PeerStand): Promise<Row | string> {
  const version = await tool.version();
  if (version === null) return 'it is not installed here';
  const say = (text: string): void => void process.stderr.write(`peers: ${tool.name}: ${text}\n`);
  try {
    const figures = await playCases(stand, () => tool.start(stand.network), { rounds, say });
    return { name: tool.name, version, set: tool.set, cannot: tool.cannot, figures };
  } catch (error) {
    return messageOf(error);
  }
}
