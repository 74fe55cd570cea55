/**
 * Looks up host names for outgoing requests so that a dead resolver harms nobody: the system's look-up blocks a thread of
 * the pool that files are written by too, so one runs at a time, and what was found last is used while it lasts.
 */
import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';

interface Known {
  readonly addresses: readonly { readonly address: string; readonly family: number }[];
  readonly at: number;
}

/** Fresh for this long; after that it is asked again, and used until that is answered. */
const freshMillis = 30_000;
const namesAtMost = 64;

/** `ask` as dns.lookup with `all`; monotonic `now` in ms. */
export function openNames(
  now: () => number,
  ask: (name: string, done: (error: Error | null, found: Known['addresses']) => void) => void = askSystem,
): LookupFunction {
  const known = new Map<string, Known>();
  const waiting = new Map<string, ((error: Error | null) => void)[]>();
  let isAsking = false;
  const askNext = (): void => {
    const name = [...waiting.keys()][0];
    if (isAsking || name === undefined) return;
    isAsking = true;
    ask(name, (error, addresses) => {
      isAsking = false;
      if (error === null && addresses.length > 0) {
        if (known.size >= namesAtMost) known.clear();
        known.set(name, { addresses, at: now() });
      }
      const told = waiting.get(name) ?? [];
      waiting.delete(name);
      askNext();
      for (const tell of told) tell(error);
    });
  };
  return (name, options, callback) => {
    const answer = (error: Error | null): void => {
      const fit = (known.get(name)?.addresses ?? []).filter(
        ({ family }) => options.family === undefined || options.family === 0 || options.family === family,
      );
      const [first] = fit;
      if (first === undefined) callback(error ?? new Error(`no address of ${name}`), '', 4);
      else if (options.all === true) callback(null, [...fit]);
      else callback(null, first.address, first.family);
    };
    const last = known.get(name);
    const isFresh = last !== undefined && now() - last.at < freshMillis;
    if (!isFresh) {
      const told = waiting.get(name) ?? [];
      waiting.set(name, last === undefined ? [...told, answer] : told);
      askNext();
    }
    if (last !== undefined) process.nextTick(() => answer(null));
  };
}

function askSystem(name: string, done: (error: Error | null, found: Known['addresses']) => void): void {
  lookup(name, { all: true }, (error, addresses) => done(error, error === null ? addresses : []));
}
