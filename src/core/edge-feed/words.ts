/**
 * What the edge hears of each uplink and family: the best of the words of its announcements (core/tell/words.ts). Where
 * nothing was told yet and nothing can be said, it is up: an edge without a word of a carrier would send its users away.
 * A region is down where its verdict is failed on an uplink that is not; an unknown one is told as it was. Unlike in
 * GeoDNS a redirect moves the way of the answers too, since another node answers.
 */
import type { UplinkHealth } from '../../types/health.ts';
import { announcementKey, uplinkKey } from '../../types/keys.ts';
import type { Wish } from '../../types/wish.ts';
import type { SeenState, ToldState } from '../../types/wire/enums.ts';
import type { EdgeSnapshot } from '../../types/wire/node-to-edge.ts';
import type { SessionFact } from '../decide/member.ts';
import { compareWords, wordFor } from '../tell/words.ts';
import type { UplinkWord } from './node-view.ts';

export interface WordFacts {
  readonly wish: Wish;
  readonly health: readonly UplinkHealth[];
  /** By uplinkKey. */
  readonly sessions: ReadonlyMap<string, SessionFact>;
  /** By announcementKey; one that is not in it is unknown. */
  readonly seen: ReadonlyMap<string, SeenState>;
  /** Whether BIRD answered. */
  readonly birdSeen: boolean;
}

/** By uplinkKey. */
export type ToldWords = ReadonlyMap<string, UplinkWord>;

/** The words now; `before`: those that were told last. */
export function edgeWords(facts: WordFacts, before: ToldWords): ToldWords {
  return new Map(
    facts.health.map((one) => {
      const key = uplinkKey(one.uplink, one.family);
      const last = before.get(key);
      return [key, { state: uplinkWord(facts, one, last?.state ?? 'up'), regions: regionWords(one, last) }];
    }),
  );
}

/** An uplink without announcements of its family is as it was told. */
function uplinkWord(
  { wish, sessions, seen, birdSeen }: WordFacts,
  { uplink, family }: UplinkHealth,
  last: ToldState,
): ToldState {
  const session = sessions.get(uplinkKey(uplink, family)) ?? 'unknown';
  const told = wish.announcements
    .filter((one) => one.uplink === uplink && one.family === family)
    .map((one) => {
      const shown = seen.get(announcementKey(uplink, one.service, family)) ?? 'unknown';
      return wordFor({ wish: one, session, seen: shown, birdSeen, last }) ?? last;
    });
  return told.toSorted(compareWords)[0] ?? last;
}

function regionWords(health: UplinkHealth, last: UplinkWord | undefined): ReadonlyMap<string, ToldState> {
  const whole = health.uplinkVerdict.health === 'failed';
  return new Map(
    [...health.regions].map(([region, verdict]) => {
      const before = last?.regions.get(region) ?? 'up';
      if (verdict.health === 'unknown' || whole) return [region, before];
      return [region, verdict.health === 'failed' ? 'down' : 'up'];
    }),
  );
}

/** What a forerunner told of itself, from the file that it left. */
export function toldIn({ self, nodes }: Pick<EdgeSnapshot, 'self' | 'nodes'>): ToldWords {
  const told = new Map<string, UplinkWord>();
  for (const [uplink, { families }] of Object.entries(nodes[self]?.uplinks ?? {})) {
    for (const family of [4, 6] as const) {
      const view = families[`${family}`];
      if (view === undefined) continue;
      const regions = Object.entries(view.regions ?? {}).map(
        ([region, up]) => [region, up ? 'up' : 'down'] as const,
      );
      told.set(uplinkKey(uplink, family), { state: view.up ? 'up' : 'down', regions: new Map(regions) });
    }
  }
  return told;
}
