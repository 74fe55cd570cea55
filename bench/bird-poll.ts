/**
 * What looking at BIRD costs: status polls at a fixed rate, the whole look of a tick, and whether a thousand ticks in which
 * nothing changes leave BIRD's configuration alone.
 */
import { readFileSync, statSync } from 'node:fs';
import { wayToBird } from '../bird/open.ts';
import { parseStatus } from '../bird/parse/status.ts';
import { readBird } from '../bird/read.ts';
import { announcementsOf, sessionsOf } from '../bird/render/parts.ts';
import { actuate } from '../src/daemon/actuate.ts';
import { monotonicNow } from '../src/daemon/clock.ts';
import { keepFile } from '../src/daemon/file-keeper.ts';
import { protocolWishes } from '../src/core/plan/protocols.ts';
import { plan } from '../src/core/plan/plan.ts';
import type { NodeConfig } from '../src/types/config.ts';
import type { Wish } from '../src/types/wish.ts';
import { type BirdStand, startBirdStand } from './bird-stand.ts';
import { numberOption } from './number-option.ts';
import { report } from './report.ts';

export const help = `bird-poll [--seconds N] [--write FILE.md] [--json]
  200 status polls a second: CPU of both sides; the look of a tick; 1,000 idle ticks and the configures that they cause`;

/** The issue: 200 polls a second in 5 % of a core. */
const limits = { pollsPerSecond: 200, coreShare: 0.05, idleTicks: 1000, configures: 0 } as const;

interface Load {
  readonly what: string;
  readonly perSecond: number;
  /** Of one core, this process alone and BIRD alone. */
  readonly ours: number;
  readonly birds: number;
}

export async function run(args: readonly string[]): Promise<number> {
  const seconds = numberOption(args, 'seconds', 10);
  const stand = await startBirdStand();
  try {
    const path = wayToBird(stand.config.bird);
    const poll = async (): Promise<void> => {
      if (parseStatus(await stand.client.command('show status')) === null) throw new Error('no status');
    };
    const look = async (): Promise<void> => {
      const view = await readBird(stand.client, path, monotonicNow);
      if (view.kind !== 'seen') throw new Error(view.text);
    };
    const loads = [
      await load(
        stand,
        'the pace of this benchmark alone',
        limits.pollsPerSecond,
        seconds,
        async () => undefined,
      ),
      await load(stand, 'show status, parsed', limits.pollsPerSecond, seconds, poll),
      await load(stand, 'the whole look of a tick', limits.pollsPerSecond, seconds, look),
      await load(stand, 'the whole look of a tick, at its own pace', 5, seconds, look),
    ];
    const configures = await idleTicks(stand);
    const [pace, polls] = loads;
    // Waking 200 times a second costs something by itself, which is not the polls'.
    const share = (polls?.ours ?? 1) - (pace?.ours ?? 0);
    const passed = share <= limits.coreShare && configures === limits.configures;
    report(args, {
      name: 'bird-poll',
      text: textOf(seconds, loads, share, configures, passed),
      json: { seconds, limits, loads, share, configures, passed },
    });
    return passed ? 0 : 1;
  } finally {
    stand.remove();
  }
}

/** Asks at a fixed rate, one after the other; what cannot keep the pace is an error. */
async function load(
  stand: BirdStand,
  what: string,
  perSecond: number,
  seconds: number,
  ask: () => Promise<void>,
): Promise<Load> {
  for (let turn = 0; turn < 3000; turn += 1) await ask();
  const [cpu, birdBefore, began] = [process.cpuUsage(), stand.birdCpuMillis(), performance.now()];
  const total = perSecond * seconds;
  for (let turn = 0; turn < total; turn += 1) {
    const due = began + (turn * 1000) / perSecond;
    const wait = due - performance.now();
    if (wait > 1) await new Promise((resolve) => setTimeout(resolve, wait));
    await ask();
  }
  const elapsedMillis = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  return {
    what,
    perSecond: (total / elapsedMillis) * 1000,
    ours: (user + system) / 1000 / elapsedMillis,
    birds: (stand.birdCpuMillis() - birdBefore) / elapsedMillis,
  };
}

/** Ticks as the daemon makes them, with everything healthy; how often BIRD was configured and switched meanwhile. */
async function idleTicks({ client, config, log }: BirdStand): Promise<number> {
  const file = keepFile(config.bird.config);
  const wish = allAnnounced(config);
  const wishes = protocolWishes(config, wish, []);
  const tick = async (): Promise<number> => {
    await file.look();
    const view = await readBird(client, wayToBird(config.bird), monotonicNow);
    if (view.kind !== 'seen') throw new Error(view.text);
    const outcome = await file.hold(wishes);
    const { steps, missing } = plan(wish, wishes, view);
    if (missing.length > 0) throw new Error(`BIRD lacks ${missing.join(', ')}`);
    await actuate(client, steps, outcome.kind === 'as-wished');
    return steps.length;
  };
  // The first one brings the wish's own words into the file.
  await tick();
  const written = statSync(config.bird.config).mtimeMs;
  const count = (): number => readFileSync(log, 'utf8').match(/Reconfigur(ing|ed)/g)?.length ?? 0;
  const before = count();
  for (let turn = 0; turn < limits.idleTicks; turn += 1)
    if ((await tick()) > 0) throw new Error('an idle tick switched a protocol');
  if (statSync(config.bird.config).mtimeMs !== written) throw new Error('an idle tick wrote the file');
  return count() - before;
}

function allAnnounced(config: NodeConfig): Wish {
  const why = { reason: 'healthy', text: 'healthy', author: 'causeway' } as const;
  return {
    announcements: announcementsOf(config).map(({ uplink, service, family }) => ({
      ...why,
      uplink: uplink.name,
      service: service.name,
      family,
      state: 'announce',
      held: null,
    })),
    egress: sessionsOf(config).map(({ uplink, family }) => ({
      ...why,
      uplink: uplink.name,
      family,
      state: 'use',
    })),
  };
}

function textOf(
  seconds: number,
  loads: readonly Load[],
  polls: number,
  configures: number,
  passed: boolean,
): string {
  const share = (part: number): string => `${(part * 100).toFixed(1)} %`.padStart(9);
  return [
    `share of one core over ${seconds} s each`,
    `${''.padEnd(44)}   per s     ours     BIRD`,
    ...loads.map(
      ({ what, perSecond, ours, birds }) =>
        `${what.padEnd(44)}${perSecond.toFixed(0).padStart(8)}${share(ours)}${share(birds)}`,
    ),
    `${limits.idleTicks} idle ticks: ${configures} configures in BIRD's log`,
    `${passed ? 'kept' : 'NOT KEPT'}: ${limits.pollsPerSecond} status polls a second, less their pace, took${share(polls)} of a core, limit ${limits.coreShare * 100} % of a core, no configure`,
  ].join('\n');
}
