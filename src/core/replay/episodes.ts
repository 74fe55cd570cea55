/** The wishes of many ticks as episodes: from when to when an announcement was wished as it was. */
import { announcementKey } from '../../types/keys.ts';
import type { RecordedWish } from './recording.ts';

export interface Episode {
  readonly wish: RecordedWish;
  /** In ms since the beginning. */
  readonly fromMillis: number;
  /** Where the next one begins, or everything ends. */
  readonly toMillis: number;
}

export interface Track {
  /** Notes the whole wish of a tick; gives those announcements that are wished otherwise than before. */
  note(atMillis: number, wishes: readonly RecordedWish[]): readonly RecordedWish[];
  /** All episodes, with the end of those that go on. */
  episodes(endMillis: number): readonly Episode[];
  /** The wish about an announcement now. */
  now(wish: RecordedWish): RecordedWish | null;
}

export function startTrack(): Track {
  const open = new Map<string, { readonly wish: RecordedWish; readonly fromMillis: number }>();
  const ended: Episode[] = [];
  return {
    note(atMillis, wishes) {
      const changed = wishes.filter((wish) => !isSame(open.get(keyOf(wish))?.wish, wish));
      for (const wish of changed) {
        const before = open.get(keyOf(wish));
        if (before !== undefined) ended.push({ ...before, toMillis: atMillis });
        open.set(keyOf(wish), { wish, fromMillis: atMillis });
      }
      return changed;
    },
    episodes: (endMillis) => [
      ...ended,
      ...[...open.values()].map((episode) => ({ ...episode, toMillis: endMillis })),
    ],
    now: (wish) => open.get(keyOf(wish))?.wish ?? null,
  };
}

/** One for each time that an announcement was not withdrawn and then was; the text of reason and guard does not part it. */
export function withdrawalsIn(episodes: readonly Episode[]): readonly Episode[] {
  const byAnnouncement = new Map<string, Episode[]>();
  for (const episode of episodes.toSorted((a, b) => a.fromMillis - b.fromMillis)) {
    const own = byAnnouncement.get(keyOf(episode.wish));
    if (own === undefined) byAnnouncement.set(keyOf(episode.wish), [episode]);
    else own.push(episode);
  }
  return [...byAnnouncement.values()].flatMap((own) => joined(own));
}

function joined(own: readonly Episode[]): readonly Episode[] {
  const found: Episode[] = [];
  own.forEach((episode, index) => {
    if (episode.wish.state !== 'withdraw') return;
    const last = found.at(-1);
    const goesOn = own[index - 1]?.wish.state === 'withdraw';
    if (last !== undefined && goesOn) found[found.length - 1] = { ...last, toMillis: episode.toMillis };
    else found.push(episode);
  });
  return found;
}

/** Changes of state, which a carrier sees; reasons and guards alone do not count. */
export function stateChangesIn(episodes: readonly Episode[]): number {
  const last = new Map<string, RecordedWish['state']>();
  let changes = 0;
  for (const { wish } of episodes.toSorted((a, b) => a.fromMillis - b.fromMillis)) {
    const before = last.get(keyOf(wish));
    if (before !== undefined && before !== wish.state) changes += 1;
    last.set(keyOf(wish), wish.state);
  }
  return changes;
}

export function overlaps(a: Episode, b: Episode): boolean {
  return keyOf(a.wish) === keyOf(b.wish) && a.fromMillis < b.toMillis && b.fromMillis < a.toMillis;
}

function keyOf({ uplink, service, family }: RecordedWish): string {
  return announcementKey(uplink, service, family);
}

function isSame(before: RecordedWish | undefined, wish: RecordedWish): boolean {
  return before?.state === wish.state && before.reason === wish.reason && before.guard === wish.guard;
}
