/** One look at BIRD, for a tick: its protocols, and in observe mode what sessions of other names export. */
import { type Adopted, adoptedIn, withAdopted } from '../../bird/adopt.ts';
import { type BirdClient, BirdError } from '../../bird/client.ts';
import { wayToBird } from '../../bird/open.ts';
import { readAdoptedExports } from '../../bird/read-adopted.ts';
import { readBird } from '../../bird/read.ts';
import type { BirdSeen, BirdView } from '../types/bird-view.ts';
import type { NodeConfig } from '../types/config.ts';
import { elapsed, type Instant } from '../types/units.ts';
import type { SeenState } from '../types/wire/enums.ts';
import type { Alarm } from './alarms.ts';
import { watchExports } from './export-watch.ts';

/** Exports are asked prefix by prefix, so less often than there are ticks. */
const exportsEveryMillis = 1000;

export interface BirdLook {
  /** Never rejects: a BIRD that cannot be read is `unreachable`. */
  look(config: NodeConfig): Promise<BirdView>;
  /** Of the last look. */
  alarms(): readonly Alarm[];
}

export function openBirdLook(client: BirdClient, now: () => Instant): BirdLook {
  const watch = watchExports();
  let alarms: readonly Alarm[] = [];
  let asked: { readonly at: Instant; readonly exports: ReadonlyMap<string, SeenState> } | null = null;

  async function exportsOf(
    config: NodeConfig,
    seen: BirdSeen,
    adopted: readonly Adopted[],
  ): Promise<ReadonlyMap<string, SeenState>> {
    const at = now();
    if (asked === null || elapsed(asked.at, at) >= exportsEveryMillis)
      asked = { at, exports: await readAdoptedExports(client, seen, adopted, config.services) };
    return asked.exports;
  }

  async function lookNow(config: NodeConfig): Promise<BirdView> {
    const path = wayToBird(config.bird);
    const view = await readBird(client, path, now);
    if (view.kind === 'unreachable' || config.bird.adopt.size === 0) return view;
    const adopted = adoptedIn(view, config.bird.adopt, config.uplinks);
    try {
      const exports = await exportsOf(config, view, adopted);
      return { ...withAdopted(view, adopted), exports };
    } catch (error) {
      if (!(error instanceof BirdError)) throw error;
      asked = null;
      // BIRD was reconfigured or a session went down between the two questions: what it exports is not known now.
      return error.code === 'refused'
        ? withAdopted(view, adopted)
        : { kind: 'unreachable', readAt: view.readAt, path, code: error.code, text: error.message };
    }
  }

  return {
    async look(config) {
      const view = await lookNow(config);
      alarms = watch.look(config, view);
      return view;
    },
    alarms: () => alarms,
  };
}
