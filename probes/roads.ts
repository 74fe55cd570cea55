/** The ways out of all uplinks and the kernel's routes by them: what can be wrong with a probe before it is sent. */
import type { ProbeTask } from '../src/types/outcome.ts';
import type { Instant } from '../src/types/units.ts';
import { unreachable } from '../src/types/unreachable.ts';
import { type NotRun, notRun } from './flight.ts';
import { socketAddress } from './socket/address.ts';
import { type RouteAnswer, openRouteAsker } from './socket/route.ts';
import type { Stream } from './stream.ts';
import { type WayOut, makeWayOut } from './way-out.ts';

export interface Roads {
  /** One for each uplink, interface, source and family; shared by its streams. */
  wayOutFor(task: ProbeTask): WayOut;
  /** Why a probe of this stream would say nothing about its path; ages in ms as in `WayOut.footing`. */
  faultOf(stream: Stream, now: Instant, footingAgeMillis: number, routeAgeMillis: number): NotRun | null;
  /** Everything is looked at again before its next use. */
  forget(): void;
  /** Drops the ways out that none of these streams use. */
  keep(streams: readonly Stream[]): void;
  close(): void;
}

/** Throws SystemCallError where netlink is refused. */
export function makeRoads(): Roads {
  const asker = openRouteAsker();
  const wayOuts = new Map<string, WayOut>();
  let generation = 0;
  const generationOf = new WeakMap<Stream, number>();
  const routeOf = (stream: Stream, index: number, now: Instant, ageMillis: number): RouteAnswer => {
    const known = stream.route;
    const fresh =
      known !== null &&
      known.index === index &&
      now - known.at <= ageMillis &&
      generationOf.get(stream) === generation;
    if (fresh) return known.answer;
    const { family, address, source } = stream.task;
    const answer = asker.ask(
      family,
      socketAddress(family, address, 0, index),
      socketAddress(family, source, 0, index),
      index,
    );
    stream.route = { at: now, index, answer };
    generationOf.set(stream, generation);
    return answer;
  };
  return {
    wayOutFor: (task) => {
      const key = [task.uplink, task.interface, task.source, task.family].join(' ');
      const known = wayOuts.get(key);
      if (known !== undefined) return known;
      const made = makeWayOut(task);
      wayOuts.set(key, made);
      return made;
    },
    faultOf: (stream, now, footingAgeMillis, routeAgeMillis) => {
      const footing = stream.wayOut.footing(now, footingAgeMillis);
      if (footing.kind === 'unfit') return notRun(footing.why, footing.errno);
      return faultOfRoute(routeOf(stream, footing.index, now, routeAgeMillis));
    },
    forget: () => {
      generation += 1;
      for (const wayOut of wayOuts.values()) wayOut.forget();
    },
    keep: (streams) => {
      const used = new Set(streams.map((stream) => stream.wayOut));
      for (const [key, wayOut] of wayOuts) if (!used.has(wayOut)) wayOuts.delete(key);
    },
    close: () => asker.close(),
  };
}

function faultOfRoute(answer: RouteAnswer): NotRun | null {
  switch (answer.kind) {
    case 'routed':
      return null;
    case 'unrouted':
      return notRun('route-missing', answer.errno);
    case 'elsewhere':
      return notRun('wrong-uplink');
    default:
      return unreachable(answer);
  }
}
