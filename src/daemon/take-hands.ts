/** Hands in BIRD, taken into the overrides of the daemon and kept on disk before anything follows from them. */
import { type LastLook, lookOf, readHands, stillReleased } from '../core/hands/hands.ts';
import { subjectKey, subjectsOf } from '../core/hands/subject.ts';
import type { BirdView } from '../types/bird-view.ts';
import type { NodeConfig } from '../types/config.ts';
import type { Override } from '../types/override.ts';
import { elapsed, type Instant } from '../types/units.ts';
import type { Narrator } from './narrator.ts';
import type { KeptOverrides } from './override-store.ts';

/** What of the world the hands are read from and go into. */
export interface HandsWorld {
  overrides: readonly Override[];
  look: LastLook | null;
  readonly switched: ReadonlySet<string>;
  /** Protocols that an operator released from a hand, and that have not been up since. */
  released: ReadonlySet<string>;
  /** Subjects whose override ended, and when. */
  ended: ReadonlyMap<string, Instant>;
}

export interface HandsTools {
  readonly config: NodeConfig;
  readonly narrator: Narrator;
  readonly now: () => Instant;
  readonly wallTime: () => string;
  /** Resolves when they are kept, or when waiting longer would hold up a withdrawal. */
  readonly keepOverrides: (kept: KeptOverrides) => Promise<void>;
}

/** How long after an override's end the other protocol of its pair may still come up by the same hand. */
const settleMillis = 2000;

/** Overrides of hands are kept before anything follows from them. */
export async function takeHands(
  tools: HandsTools,
  world: HandsWorld,
  view: BirdView,
  fileIsOurs: boolean,
): Promise<void> {
  if (view.kind !== 'seen') return;
  const subjects = subjectsOf(tools.config);
  const at = tools.wallTime();
  const recent = [...world.ended].filter(([, since]) => elapsed(since, tools.now()) < settleMillis);
  const settling = new Set(recent.map(([subject]) => subject));
  const { look: last, switched, overrides } = world;
  const released = stillReleased(world.released, view);
  const hands = readHands({
    subjects,
    seen: view,
    last,
    switched,
    fileIsOurs,
    overrides,
    settling,
    released,
    at,
  });
  for (const event of hands.events) tools.narrator.hand(event, at);
  const endedNow = hands.events
    .filter(({ kind }) => kind === 'ended')
    .map(({ override }) => subjectKey(override.subject));
  world.ended = new Map([...recent, ...endedNow.map((subject) => [subject, tools.now()] as const)]);
  world.look = lookOf(view, subjects);
  if (hands.events.length === 0 && released.size === world.released.size) return;
  world.overrides = hands.overrides;
  world.released = released;
  await tools.keepOverrides(world);
}
