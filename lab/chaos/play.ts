/** Plays a script in a world: each fault at its time, all mended at the end, and everything watched. Gives the facts. */
import { setTimeout as pause } from 'node:timers/promises';
import { families } from '../../src/types/units.ts';
import { fleetIsHealthy } from '../fleet/fleet.ts';
import { mendPacketFilters } from '../faults/packet-filter.ts';
import { startDatabases } from '../fleet/databases.ts';
import { service } from '../network/addresses.ts';
import { waitUntil } from '../network/wait.ts';
import { readStatus } from '../node/program.ts';
import { actOf } from './acts/acts.ts';
import type { Act } from './acts/act.ts';
import { type Bounds, labBounds } from './bounds.ts';
import type { Fact, Phase } from './facts.ts';
import { type ChaosFault, faultText } from './fault.ts';
import { readRecords } from './records.ts';
import type { Planned } from './schedule.ts';
import type { Script } from './script.ts';
import { watch } from './watch.ts';
import type { World } from './world.ts';

export interface PlayOptions {
  readonly say: (text: string) => void;
  readonly bounds?: Bounds;
  /** Done beside the script, from its beginning on: a bug that is planted. It is no fact. */
  readonly beside?: (world: World) => Promise<void>;
  /** Done to the nodes before their histories are read. */
  readonly beforeRecords?: (world: World) => Promise<void>;
}

export async function play(world: World, script: Script, options: PlayOptions): Promise<readonly Fact[]> {
  const { bounds = labBounds } = options;
  const seen = await watch(world);
  try {
    const facts = await playWatched(world, script, { ...options, bounds });
    return [...facts, ...seen.facts()].toSorted((a, b) => a.at - b.at);
  } finally {
    await seen.stop();
  }
}

async function playWatched(
  world: World,
  script: Script,
  { say, bounds, beside, beforeRecords }: PlayOptions & { readonly bounds: Bounds },
): Promise<readonly Fact[]> {
  const facts: Fact[] = [];
  facts.push({
    kind: 'begin',
    at: Date.now(),
    nodes: world.nodes,
    prefixes: families.map((family) => service.prefix[family]),
    seed: script.seed,
    bounds,
  });
  const stage: Stage = { world, say, began: performance.now(), note: (fact) => facts.push(fact) };
  const acts = script.faults.map((planned, id) => strike(stage, planned, id));
  await Promise.all([...acts, beside?.(world)]);
  await until(stage, script.durationMillis);
  facts.push(await settle(stage, bounds));
  // What happened last may be told a moment later.
  await pause(2000);
  await beforeRecords?.(world);
  return [...facts, ...(await readRecords(world)), { kind: 'end', at: Date.now() }];
}

interface Stage {
  readonly world: World;
  readonly say: (text: string) => void;
  /** performance.now() at the beginning. */
  readonly began: number;
  readonly note: (fact: Fact) => void;
}

async function until({ began }: Stage, millis: number): Promise<void> {
  await pause(Math.max(0, began + millis - performance.now()));
}

/** Never rejects: a fault that cannot be made is told and counts as mended. */
async function strike(stage: Stage, { fault, startMillis, lastsMillis }: Planned, id: number): Promise<void> {
  const phase = (which: Phase): void =>
    stage.note({ kind: 'fault', at: Date.now(), id, phase: which, fault });
  await until(stage, startMillis);
  const act = actOf(stage.world, fault);
  phase('applying');
  try {
    await act.apply();
    phase('applied');
    stage.say(`+ ${faultText(fault)}`);
    await until(stage, startMillis + lastsMillis);
  } catch (error) {
    stage.say(`  not done: ${faultText(fault)}: ${textOf(error)}`);
  }
  phase('mending');
  await mended(stage, act, fault);
  phase('mended');
}

/** What cannot be mended at once (a program that another fault keeps from starting) is tried again. */
async function mended(stage: Stage, act: Act, fault: ChaosFault): Promise<void> {
  for (let turn = 1; ; turn += 1) {
    try {
      await act.mend();
      stage.say(`- ${faultText(fault)}`);
      return;
    } catch (error) {
      if (turn === 3) {
        stage.say(`  not mended: ${faultText(fault)}: ${textOf(error)}`);
        return;
      }
      await pause(1000);
    }
  }
}

/** Waits for a healthy fleet; the text says what is not, where it stays so. */
async function settle(stage: Stage, bounds: Bounds): Promise<Fact> {
  const { world, say } = stage;
  const began = performance.now();
  for (const { lab } of world.fleet.nodes) await mendPacketFilters(lab.network);
  say('all is mended; waiting for healthy nodes');
  try {
    await waitUntil('healthy nodes', () => fleetIsHealthy(world.fleet), {
      timeoutMillis: bounds.settleMillis,
      everyMillis: 500,
    });
    return {
      kind: 'settled',
      at: Date.now(),
      healthyAfterMillis: Math.round(performance.now() - began),
      text: 'all healthy',
    };
  } catch {
    const text = await whatIsWrong(world);
    return { kind: 'settled', at: Date.now(), healthyAfterMillis: null, text };
  }
}

async function whatIsWrong({ fleet }: World): Promise<string> {
  const each = await Promise.all(
    fleet.nodes.map(async ({ plan, lab }) => {
      const status = await readStatus(lab.network);
      if (status === null) return `${plan.name}: no answer`;
      const bad = status.uplinks.flatMap(({ uplink, families: of }) =>
        [of['4'], of['6']].flatMap((family, index) =>
          family === undefined
            ? []
            : family.announcements
                .filter(
                  ({ wish, held }) => family.health !== 'healthy' || wish !== 'announce' || held !== null,
                )
                .map(
                  ({ wish, held, text }) =>
                    `${uplink}${index === 0 ? 4 : 6} ${family.health} ${wish} ${held?.guard ?? ''} (${text})`,
                ),
        ),
      );
      const alarms = status.alarms.map(({ code }) => code);
      const words = [
        ...bad,
        ...alarms,
        ...status.overrides.map((one) => `override ${JSON.stringify(one.subject)}`),
      ];
      return words.length === 0 ? '' : `${plan.name}: ${words.join(', ')}`;
    }),
  );
  return `not healthy: ${each.filter((text) => text !== '').join('; ') || 'carriers do not hold all routes'}`;
}

/** Brings a used world back to where a run begins; false: it does not get there. */
export async function freshen(world: World): Promise<boolean> {
  if (await fleetIsHealthy(world.fleet)) return true;
  await startDatabases(world.fleet.network);
  try {
    await waitUntil('healthy nodes', () => fleetIsHealthy(world.fleet), {
      timeoutMillis: 60_000,
      everyMillis: 500,
    });
    return true;
  } catch {
    return false;
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
}
