/** A policy that decides beside the live one, from the same outcomes, and is never acted on. */
import type { DecideInput } from '../core/decide/decide.ts';
import { checkpoint } from '../core/health/checkpoint.ts';
import { factsOf, recordedWish } from '../core/replay/recording.ts';
import { type Run, startRun } from '../core/replay/run.ts';
import { announcementKey } from '../types/keys.ts';
import type { ShadowStatus } from '../types/wire/status.ts';
import type { Wish } from '../types/wish.ts';
import type { Settings } from './settings.ts';
import type { JudgedInput, MemoriesBefore, TickWitness } from './tick-witness.ts';
import type { Instant } from '../types/units.ts';

export interface Shadow extends TickWitness {
  /** null: the config has none. */
  status(): ShadowStatus | null;
  /** The config has changed: it begins anew from where the live one stands. */
  changed(): void;
}

/** `settings` is asked at each beginning, `wallTime` (ISO 8601) at each disagreement. */
export function startShadow(settings: () => Settings, wallTime: () => string): Shadow {
  return new Beside(settings, wallTime);
}

class Beside implements Shadow {
  readonly #settings: () => Settings;
  readonly #wallTime: () => string;
  #run: Run | null = null;
  #judging: { readonly input: JudgedInput; readonly at: Instant } | null = null;
  #ticks = 0;
  #disagreeing: readonly string[] = [];
  #disagreements = 0;
  #disagreeingTicks = 0;
  #last: ShadowStatus['last'] = null;

  constructor(settings: () => Settings, wallTime: () => string) {
    this.#settings = settings;
    this.#wallTime = wallTime;
  }

  status(): ShadowStatus | null {
    if (this.#settings().config.shadow === null) return null;
    return {
      ticks: this.#ticks,
      disagreeingTicks: this.#disagreeingTicks,
      disagreements: this.#disagreements,
      disagreeing: this.#disagreeing,
      last: this.#last,
    };
  }

  changed(): void {
    this.#run = null;
  }

  judging(before: MemoriesBefore, input: JudgedInput, at: Instant): void {
    const { config, tasks } = this.#settings();
    if (config.shadow === null) return;
    this.#judging = { input, at };
    this.#run ??= startRun({
      config: { ...config, policy: config.shadow.policy },
      tasks,
      health: checkpoint(before.health),
      decide: before.decide,
      at: before.health.now,
    });
  }

  decided(asked: DecideInput, wish: Wish): void {
    if (this.#run === null || this.#judging === null) return;
    const { input, at } = this.#judging;
    const times = { judgedAt: at, decidedAt: asked.now, reportedAt: input.reportedAt };
    const { samples, links } = input;
    const step = this.#run.step({ ...times, samples, links, facts: factsOf(asked) });
    this.#compare(wish, step.wish);
  }

  #compare(live: Wish, shadow: Wish): void {
    this.#ticks += 1;
    const states = new Map(recordedWish(live).map((one) => [keyOf(one), one.state]));
    const apart = recordedWish(shadow).filter((one) => states.get(keyOf(one)) !== one.state);
    if (apart.length > 0) this.#disagreeingTicks += 1;
    for (const one of apart) {
      const key = keyOf(one);
      if (this.#disagreeing.includes(key)) continue;
      this.#disagreements += 1;
      const state = states.get(key);
      if (state !== undefined)
        this.#last = {
          at: this.#wallTime(),
          announcement: key,
          live: state,
          shadow: one.state,
          reason: one.reason,
        };
    }
    this.#disagreeing = apart.map(keyOf);
  }
}

function keyOf({ uplink, service, family }: ReturnType<typeof recordedWish>[number]): string {
  return announcementKey(uplink, service, family);
}
