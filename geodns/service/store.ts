/** The state on disk: every event is in the journal before it counts. */
import { type Journal, openJournal } from '../../src/store/journal.ts';
import { parseEvent } from '../decision/events.ts';
import { emptyState, fold, snapshot, type State, type StateEvent } from '../decision/state.ts';

const compactAboveBytes = 4_000_000;

export interface StateStore {
  state(): State;
  /** Resolves when all events are on disk and folded in; rejects, and changes nothing, when they cannot be written. */
  commit(events: readonly StateEvent[], nowMillis: number): Promise<void>;
  close(): Promise<void>;
  /** What the journal had that could not be used; for the log. */
  readonly damage: {
    readonly tornBytes: number;
    readonly damagedLines: readonly number[];
    readonly foreign: number;
  };
}

export async function openStateStore(path: string): Promise<StateStore> {
  const { journal, read } = await openJournal(path);
  const events = read.entries.map(parseEvent);
  let state = events.reduce(
    (sum: State, event) => (event === undefined ? sum : fold(sum, event)),
    emptyState,
  );
  return {
    state: () => state,
    damage: {
      tornBytes: read.tornBytes,
      damagedLines: read.damagedLines,
      foreign: events.filter((event) => event === undefined).length,
    },
    async commit(added, nowMillis) {
      await journal.appendAll(added);
      state = added.reduce(fold, state);
      if (journal.sizeBytes() > compactAboveBytes) await compact(journal, state, nowMillis);
    },
    close: () => journal.close(),
  };
}

/** A journal that cannot be made smaller just now still holds everything. */
async function compact(journal: Journal, state: State, nowMillis: number): Promise<void> {
  await journal.compact(snapshot(state, nowMillis)).catch(() => undefined);
}
