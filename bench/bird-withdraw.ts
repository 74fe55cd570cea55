/**
 * From the decision to withdraw until the carrier has lost the route, beside two tools that are made as such tools usually
 * are. All three take turns in one run, on one BIRD and one carrier; the time of the end is the carrier's own log.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { execa } from 'execa';
import { disable, enable } from '../bird/commands.ts';
import { restate } from '../bird/file-states.ts';
import { act } from '../src/daemon/act.ts';
import { keepFile } from '../src/daemon/file-keeper.ts';
import type { ProtocolWish } from '../src/core/plan/protocols.ts';
import type { Step } from '../src/core/plan/plan.ts';
import { service } from '../lab/network/addresses.ts';
import { nodeFiles } from '../lab/node/config.ts';
import { type BirdStand, type CarrierWatch, startBirdStand, wallMillis, watchCarrier } from './bird-stand.ts';
import { numberOption } from './number-option.ts';
import { report } from './report.ts';

export const help = `bird-withdraw [--rounds N] [--write FILE.md] [--json]
  decision to withdraw → route gone at the carrier, beside a tool that spawns birdc and one that rewrites and configures`;

/** DESIGN 10. */
const limits = { medianMillis: 10, ratio: 3 } as const;
const announce = 'announce_cmi_web4';

interface Way {
  readonly name: string;
  /** Resolves when nothing is left to do for it; the route may be gone before. */
  withdraw(): Promise<void>;
  restore(): Promise<void>;
}

export async function run(args: readonly string[]): Promise<number> {
  const rounds = numberOption(args, 'rounds', 60);
  const stand = await startBirdStand();
  const watch = watchCarrier(stand.network, 'cmi', service.prefix[4]);
  try {
    const ways = [causeway(stand), spawnsBirdc(stand), rewritesAndConfigures(stand), commandAlone(stand)];
    const times = await takeTurns(ways, watch, rounds);
    const results = ways.map(({ name }) => ({ name, ...figures(times.get(name) ?? []) }));
    const [ours, ...peers] = results.slice(0, 3);
    if (ours === undefined) throw new Error('nothing was measured');
    const ratios = peers.map(({ name, medianMillis }) => ({ name, ratio: medianMillis / ours.medianMillis }));
    const passed =
      ours.medianMillis <= limits.medianMillis && ratios.every(({ ratio }) => ratio >= limits.ratio);
    report(args, {
      name: 'bird-withdraw',
      text: textOf(rounds, results, ratios, passed),
      json: { rounds, limits, results, ratios, passed },
    });
    return passed ? 0 : 1;
  } finally {
    watch.close();
    stand.remove();
  }
}

/** Each round every way once, and another one first each time; between two the route is back at the carrier. */
async function takeTurns(
  ways: readonly Way[],
  watch: CarrierWatch,
  rounds: number,
): Promise<ReadonlyMap<string, number[]>> {
  const times = new Map<string, number[]>(ways.map(({ name }) => [name, []]));
  const warmUp = 3;
  for (let round = 0; round < rounds + warmUp; round += 1) {
    const turn = round % ways.length;
    for (const way of [...ways.slice(turn), ...ways.slice(0, turn)]) {
      const began = wallMillis();
      const done = way.withdraw();
      const gone = await watch.next('gone', began);
      await done;
      if (round >= warmUp) times.get(way.name)?.push(gone - began);
      const back = wallMillis();
      const restored = way.restore();
      await watch.next('there', back);
      await restored;
    }
  }
  return times;
}

/** What the daemon does at the end of a tick: the command on the open connection, beside the file (fsync, rename). */
function causeway({ client, config }: BirdStand): Way {
  const file = keepFile(config.bird.config);
  const tools = {
    config: { mode: 'live' },
    client,
    file,
    narrator: { file: () => undefined, steps: () => undefined },
    wallTime: () => '',
  } as const;
  const move = async (up: boolean): Promise<void> => {
    await file.look();
    const text = up ? 'announced: healthy' : 'withdrawn: loss 100 % on 4 of 4 targets';
    const wish: ProtocolWish = { up, description: text, message: text };
    const step: Step = {
      command: up ? 'enable' : 'disable',
      protocol: announce,
      message: text,
      purpose: up ? 'return' : 'withdraw',
      group: 'web4',
    };
    const { results } = await act(tools, { steps: [step], missing: [] }, new Map([[announce, wish]]));
    const [result] = results;
    // A return waits for a slow disk, as it does in the daemon until the next tick; a withdrawal never does.
    if (up && result?.effect === 'waits-for-file') return move(up);
    if (result?.effect !== 'done') throw new Error(`causeway: ${result?.effect} ${result?.text}`);
  };
  return { name: 'causeway (file and socket)', withdraw: () => move(false), restore: () => move(true) };
}

/** Not a way of its own: the command without a file beside it. */
function commandAlone({ client }: BirdStand): Way {
  return {
    name: 'of causeway: the command alone',
    withdraw: async () => void (await disable(client, announce, 'loss 100 %')),
    restore: async () => void (await enable(client, announce, 'healthy')),
  };
}

/** A checker that runs `birdc disable`; it writes nothing down, which spares it the disk. */
function spawnsBirdc(stand: BirdStand): Way {
  const birdc = (...words: string[]) => runBirdc(stand, words);
  return {
    name: 'spawns birdc disable',
    withdraw: () => birdc('disable', announce, '"unhealthy"'),
    restore: () => birdc('enable', announce),
  };
}

/** A checker that writes the file anew and runs `birdc configure`. */
function rewritesAndConfigures(stand: BirdStand): Way {
  const path = stand.config.bird.config;
  const rewrite = async (disabled: boolean): Promise<void> => {
    const text = restate(
      readFileSync(path, 'utf8'),
      new Map([[announce, { disabled, description: 'checker' }]]),
    );
    writeFileSync(`${path}.tmp`, text);
    renameSync(`${path}.tmp`, path);
    await runBirdc(stand, ['configure']);
  };
  return {
    name: 'rewrites, spawns birdc configure',
    withdraw: () => rewrite(true),
    restore: () => rewrite(false),
  };
}

async function runBirdc({ network }: BirdStand, words: readonly string[]): Promise<void> {
  await execa('birdc', ['-s', nodeFiles(network).birdSocket, ...words], {
    stdin: 'ignore',
    env: { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` },
  });
}

interface Figures {
  readonly medianMillis: number;
  readonly p90Millis: number;
  readonly maxMillis: number;
}

function figures(times: readonly number[]): Figures {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { medianMillis: at(0.5), p90Millis: at(0.9), maxMillis: at(1) };
}

function textOf(
  rounds: number,
  results: readonly ({ readonly name: string } & Figures)[],
  ratios: readonly { readonly name: string; readonly ratio: number }[],
  passed: boolean,
): string {
  const cell = (millis: number): string => millis.toFixed(2).padStart(8);
  const ratioOf = (name: string): string => {
    const found = ratios.find((one) => one.name === name);
    return found === undefined ? '' : `  ${found.ratio.toFixed(1)}× ours`;
  };
  return [
    `decision → route gone at the carrier, ms, ${rounds} rounds in turn`,
    `${''.padEnd(34)}  median     p90     max`,
    ...results.map(
      ({ name, medianMillis, p90Millis, maxMillis }) =>
        `${name.padEnd(34)}${cell(medianMillis)}${cell(p90Millis)}${cell(maxMillis)}${ratioOf(name)}`,
    ),
    `${passed ? 'kept' : 'NOT KEPT'}: median ≤ ${limits.medianMillis} ms, ≥ ${limits.ratio}× faster than either`,
  ].join('\n');
}
