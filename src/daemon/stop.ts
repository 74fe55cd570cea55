/**
 * An orderly stop with `on_stop: drain` or `withdraw`: the ticks go on with that wish until it is so.
 *
 *   drain      all is drained in BIRD ── traffic below a tenth of what it was, or the deadline ──▶ end
 *   withdraw   nothing is announced ── read back: no session exports anything, or the deadline ──▶ end
 *
 * A crash, kill -9 and a second signal end at once and leave BIRD as it is.
 */
import type { BirdView } from '../types/bird-view.ts';
import type { NodeConfig } from '../types/config.ts';
import { sessionName } from '../types/protocol-names.ts';
import { families } from '../types/units.ts';
import type { TickReport } from './tick.ts';

/** Below this share of the average before, the users have gone. */
const goneShare = 0.1;
/** Less than this is our own chatter: BGP, neighbour discovery. */
const idleBits = 16_000;

/** Whether BIRD shows the wish and the file holds it. */
export function isWishDone({ view, plan, file, results }: TickReport): boolean {
  return view.kind === 'seen' && plan.steps.length === 0 && results.length === 0 && file.kind === 'as-wished';
}

/** The uplinks (`cmi 12 of 340 kbit/s`) that still carry traffic; empty: the users have gone. */
export function stillCarrying(
  before: ReadonlyMap<string, number>,
  now: ReadonlyMap<string, number>,
): readonly string[] {
  return [...now].flatMap(([uplink, rate]) => {
    const average = before.get(uplink) ?? 0;
    if (rate <= Math.max(idleBits, average * goneShare)) return [];
    return [`${uplink} ${kilobits(rate)} of ${kilobits(average)} kbit/s`];
  });
}

/** The sessions that still export something, or of which that is not known; empty: nothing is announced. */
export function stillExporting(config: NodeConfig, view: BirdView): readonly string[] {
  if (view.kind === 'unreachable') return [`BIRD cannot be asked: ${view.text}`];
  return config.uplinks.flatMap(({ name, source }) =>
    families
      .filter((family) => source[family] !== undefined)
      .flatMap((family) => {
        const session = view.protocols.get(sessionName(name, family));
        if (session === undefined || session.info !== 'Established') return [];
        const exported = session.channels.find((channel) => channel.family === family)?.exported ?? null;
        if (exported === 0) return [];
        return [`${sessionName(name, family)} exports ${exported ?? 'an unknown number of'} routes`];
      }),
  );
}

function kilobits(rate: number): number {
  return Math.round(rate / 1000);
}
