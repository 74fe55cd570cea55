/** One look at BIRD, for a tick: its protocols, and in observe mode what sessions of other names export. */
import { type Adopted, adoptedIn, withAdopted } from '../../bird/adopt.ts';
import { type BirdClient, BirdError } from '../../bird/client.ts';
import { wayToBird } from '../../bird/open.ts';
import { readAdoptedExports } from '../../bird/read-adopted.ts';
import { readBird } from '../../bird/read.ts';
import { isRestricted } from '../../bird/rights.ts';
import { type BirdSeen, type BirdView, isSameMoment } from '../types/bird-view.ts';
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

  let known: { readonly of: BirdSeen; readonly restricted: boolean } | null = null;

  /** Asked once of each BIRD: a socket does not change its rights while BIRD runs with the same config. */
  async function withRights(config: NodeConfig, seen: BirdSeen): Promise<BirdSeen> {
    // Observing, we send nothing but questions.
    if (config.mode === 'observe') return seen;
    if (known === null || !isSameRun(known.of, seen))
      known = { of: seen, restricted: (await isRestricted(client)) === true };
    return known.restricted ? { ...seen, restricted: true } : seen;
  }

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
    const read = await readBird(client, path, now);
    if (read.kind === 'unreachable') return read;
    const view = await withRights(config, read);
    if (config.bird.adopt.size === 0) return view;
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
      alarms = [...watch.look(config, view), ...rightsAlarms(view)];
      return view;
    },
    alarms: () => alarms,
  };
}

function isSameRun(one: BirdSeen, other: BirdSeen): boolean {
  return (
    isSameMoment(one.bootMillis, other.bootMillis) &&
    isSameMoment(one.configuredMillis, other.configuredMillis)
  );
}

function rightsAlarms(view: BirdView): readonly Alarm[] {
  if (view.kind !== 'seen' || view.restricted !== true) return [];
  const text = 'BIRD’s socket is a restricted one: it shows everything, and refuses every command (8007)';
  return [{ code: 'bird-restricted', text }];
}
