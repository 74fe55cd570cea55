/** A task at its pace: one uplink, one target, one kind of probe, sent again and again. */
import type { ProbeTask } from '../src/types/outcome.ts';
import type { Instant } from '../src/types/units.ts';
import { type Pace, phaseOf, startPace } from './pace.ts';
import { addressBytes, socketAddress } from './socket/address.ts';
import type { RouteAnswer } from './socket/route.ts';
import type { WayOut } from './way-out.ts';

export interface Stream {
  /** What makes it the same stream in the next plan. */
  readonly key: string;
  /** Counts streams since the start; spreads them over phases and sockets. */
  readonly ordinal: number;
  readonly wayOut: WayOut;
  /** The present plan's; its id may change while the stream stays. */
  task: ProbeTask;
  pace: Pace;
  /** False once a plan is without it: what comes back is nobody's. */
  planned: boolean;
  /** The last answer of the kernel about its route, and when it was asked on which interface. */
  route: { readonly at: Instant; readonly index: number; readonly answer: RouteAnswer } | null;
  destination: Destination | null;
}

/** Where its echoes go by the interface of that index. */
interface Destination {
  readonly index: number;
  readonly socketAddress: Buffer;
  readonly bytes: Buffer;
}

/** Streams stay while these do; pace, timeout, names and region may change under them. */
export function streamKey(task: ProbeTask): string {
  return [task.uplink, task.interface, task.source, task.family, task.address, task.kind, task.port].join(
    ' ',
  );
}

export function newStream(task: ProbeTask, ordinal: number, wayOut: WayOut, now: Instant): Stream {
  const pace = startPace(task.intervalMillis, phaseOf(ordinal), now);
  return { key: streamKey(task), ordinal, wayOut, task, pace, planned: true, route: null, destination: null };
}

/** Gives a stream that stays its task in the new plan; at another interval it begins anew, at its own phase of that one. */
export function replan(stream: Stream, task: ProbeTask, now: Instant): void {
  stream.task = task;
  if (stream.pace.intervalMillis === task.intervalMillis) return;
  stream.pace = startPace(task.intervalMillis, phaseOf(stream.ordinal), now);
}

/** Kept with the stream: to read an address anew for each probe costs as much as to send it. */
export function destinationOf(stream: Stream, index: number): Destination {
  const known = stream.destination;
  if (known !== null && known.index === index) return known;
  const { family, address } = stream.task;
  const made = socketAddress(family, address, 1, index);
  stream.destination = { index, socketAddress: made, bytes: addressBytes(family, made) };
  return stream.destination;
}
