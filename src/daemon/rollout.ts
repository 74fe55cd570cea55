/**
 * This node's part in a staged roll-out: it says that it applies, waits until the others have heard it and it has heard
 * them, and says afterwards how its new base fares. What is watched lies in `paths.state`/rollout over restarts.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { baseWord, type Rollout, rolloutRefusal, soundAnnouncements } from '../core/fleet/rollout.ts';
import { writeAtomic } from '../store/atomic-file.ts';
import { type Instant, instant } from '../types/units.ts';
import { wallTime } from '../types/wire/common.ts';
import type { BaseWord, Presence } from '../types/wire/node-to-fleet.ts';

const written = z.object({ at: wallTime, before: z.array(z.string().max(200)).max(10_000) });

/** Above the usual way of a word to the others and of theirs back, to `publish`. */
const hearMillis = 1000;

export interface RolloutSource {
  readonly node: string;
  readonly soakMillis: number;
  readonly publishMillis: number;
  others(): readonly Presence[] | null;
}

export class RolloutKeeper {
  readonly #path: string;
  readonly #now: () => Instant;
  #rollout: Rollout | null;
  #busy: { readonly phase: 'asking' | 'applying'; readonly before: readonly string[] } | null = null;
  #last: Presence['announcements'] = [];

  private constructor(path: string, now: () => Instant, rollout: Rollout | null) {
    this.#path = path;
    this.#now = now;
    this.#rollout = rollout;
  }

  /** Never rejects: what cannot be read is nothing to watch. */
  static async open(folder: string, now: () => Instant, wallMillis: number): Promise<RolloutKeeper> {
    const path = join(folder, 'rollout');
    return new RolloutKeeper(path, now, await readRollout(path, now(), wallMillis));
  }

  /** After each tick. */
  word(announcements: Presence['announcements'], soakMillis: number): BaseWord {
    this.#last = announcements;
    const phase = this.#busy?.phase ?? null;
    const { word, rollout } = baseWord(this.#rollout, phase, announcements, soakMillis, this.#now());
    this.#rollout = rollout;
    return word;
  }

  /** Resolves with why this node must not apply; null: it is said to apply, until `end`. */
  async begin(source: RolloutSource, isAsked: boolean): Promise<string | null> {
    const before = soundAnnouncements(this.#last);
    const isSkipped = !isAsked || source.soakMillis === 0;
    this.#busy = { phase: isSkipped ? 'applying' : 'asking', before };
    if (isSkipped) return null;
    await new Promise((resolve) => {
      setTimeout(resolve, source.publishMillis + hearMillis).unref();
    });
    const refusal = rolloutRefusal(source.node, source.others());
    this.#busy = refusal === null ? { phase: 'applying', before } : null;
    return refusal;
  }

  async end(isApplied: boolean): Promise<void> {
    const busy = this.#busy;
    this.#busy = null;
    if (!isApplied || busy === null) return;
    const { before } = busy;
    this.#rollout = { at: this.#now(), before };
    const text = `${JSON.stringify({ at: new Date().toISOString(), before })}\n`;
    try {
      await mkdir(join(this.#path, '..'), { recursive: true });
      await writeAtomic(this.#path, text);
    } catch {
      // It is watched until the next restart then; the disk has an alarm of its own.
    }
  }
}

/** A clock that went back makes the soak begin anew, never shorter. */
async function readRollout(path: string, now: Instant, wallMillis: number): Promise<Rollout | null> {
  try {
    const { at, before } = written.parse(JSON.parse(await readFile(path, 'utf8')));
    return { at: instant(now - Math.max(0, wallMillis - Date.parse(at))), before };
  } catch {
    return null;
  }
}
