/** Plays many scenarios in a few labs side by side; a lab that stays fit is used again. */
import { messageOf } from '../../src/types/message-of.ts';
import type { NodeOptions } from '../node/config.ts';
import { startLab, type Lab } from '../node/lab.ts';
import { freshLabId } from '../network/names.ts';
import { namespaceInodes } from '../network/removal.ts';
import { play, prepare, type Report } from './play.ts';
import type { Scenario } from './stage.ts';

export interface Playing {
  /** Settles when that scenario has been played; rejects only for bugs of the lab. */
  report(name: string): Promise<Report>;
  /** Ids of the labs that were started so far. */
  labs(): readonly string[];
  /** Inodes of their namespaces. */
  inodes(): readonly number[];
  /** Settles when all are played and every lab is removed. */
  end: Promise<void>;
}

interface Seat {
  lab: Lab | null;
  /** Options of the daemon that runs there; null: must be started anew. */
  present: NodeOptions | null;
}

interface Started {
  readonly ids: string[];
  readonly inodes: number[];
}

/** Starts at once; `seats` is the number of labs that run at the same time. */
export function playAll(list: readonly Scenario[], seats: number): Playing {
  const waiting = new Map<string, { resolve: (report: Report) => void; promise: Promise<Report> }>();
  for (const { name } of list) {
    let resolve: (report: Report) => void = () => undefined;
    const promise = new Promise<Report>((settle) => {
      resolve = settle;
    });
    waiting.set(name, { resolve, promise });
  }
  const queue = [...list];
  const started: Started = { ids: [], inodes: [] };
  const runs = Array.from({ length: seats }, async () => {
    const seat: Seat = { lab: null, present: null };
    for (let next = take(queue, seat); next !== null; next = take(queue, seat)) {
      waiting.get(next.name)?.resolve(await playIn(seat, next, started));
    }
    seat.lab?.remove();
  });
  return {
    report: (name) => waiting.get(name)?.promise ?? Promise.reject(new Error(`no scenario ${name}`)),
    labs: () => started.ids,
    inodes: () => started.inodes,
    end: Promise.all(runs).then(() => undefined),
  };
}

/** The next one, rather with the options that the seat's daemon has already. */
function take(queue: Scenario[], seat: Seat): Scenario | null {
  const same = queue.findIndex(({ node }) => sameText(node ?? {}, seat.present));
  const [next] = queue.splice(Math.max(0, same), 1);
  return next ?? null;
}

function sameText(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

async function playIn(seat: Seat, scenario: Scenario, started: Started): Promise<Report> {
  const wanted = scenario.node ?? {};
  const began = performance.now();
  try {
    if (seat.lab === null) {
      const id = freshLabId();
      started.ids.push(id);
      seat.lab = await startLab(id, { node: wanted });
      started.inodes.push(...namespaceInodes(id));
      seat.present = wanted;
    }
    await prepare(seat.lab, wanted, seat.present);
    const report = await play(seat.lab, scenario);
    seat.present = wanted.proxy === true ? null : wanted;
    return report;
  } catch (error) {
    // The lab itself is at fault: the next scenario gets a new one.
    seat.lab?.remove();
    seat.lab = null;
    seat.present = null;
    const text = messageOf(error);
    return {
      scenario: scenario.name,
      passed: false,
      failure: `the lab was not ready: ${text}`,
      tookMillis: Math.round(performance.now() - began),
      measured: {},
      timeline: [],
    };
  }
}
