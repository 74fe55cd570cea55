/**
 * The loop that drives all streams. Timers run before sockets are read in a turn of Node's loop, so time-outs are
 * decided in `setImmediate`, after that turn's replies, and only when the socket has been read empty: a blocked loop
 * delays what we know and never invents a loss.
 */
import { type Outcome, type ProbeKind, type ProbeTask, probeKinds } from '../src/types/outcome.ts';
import { type Family, type Instant, instant } from '../src/types/units.ts';
import { type Basket, type Harvest, makeBasket } from './basket.ts';
import { monotonicNow } from './clock.ts';
import { makeDns } from './dns.ts';
import { type Deck, type Flight, type NotRun, type ProbeKindEngine } from './flight.ts';
import { lagLimitMillis, notRun } from './flight.ts';
import { makeHttp } from './http.ts';
import { makeIcmp } from './icmp.ts';
import { nextPace } from './pace.ts';
import { type Roads, makeRoads } from './roads.ts';
import { asleepMillis } from './socket/libc.ts';
import { type Stream, newStream, replan, streamKey } from './stream.ts';
import { makeTcp } from './tcp.ts';
import { type Timetable, makeTimetable } from './timetable.ts';
import { routineAgeMillis, strictAgeMillis } from './way-out.ts';

export interface Engine {
  plan(tasks: readonly ProbeTask[]): void;
  /** Everything known of interfaces, addresses and routes is looked at again before its next use. */
  linkChanged(): void;
  /** ICMP of a family is given up (`not-run`) or taken up again. */
  allowIcmp(family: Family, allowed: boolean): void;
  harvest(): Harvest;
  close(): void;
}

/**
 * Slots of other streams that are due within this share of their interval, and this long, are used in the same turn:
 * a turn of Node's loop costs more than a probe. It moves a probe no further than the slots' jitter does.
 */
const togetherShare = 0.1;
const mostTogetherMillis = 20;
/** How often replies are read while nobody harvests. */
const lookMillis = 100;
/** How much later than its deadline a flight is looked at, so that a reply at the last moment is there. */
const graceMillis = 2;
/** How old the kernel's word about a route may be in passing. */
const routeAgeMillis = 2000;
interface State {
  readonly roads: Roads;
  readonly kinds: Record<ProbeKind, ProbeKindEngine>;
  readonly streams: Map<string, Stream>;
  slots: Timetable<Stream>;
  readonly flights: Timetable<Flight>;
  readonly banned: Set<Family>;
  readonly basket: Basket;
  laggedAt: Instant;
  lookedAt: Instant;
  ordinal: number;
  wakeAt: Instant | null;
  timer: NodeJS.Timeout | null;
  readonly asleep: () => number;
  /** As of the last look, and since when the machine is awake again. */
  sleptMillis: number;
  awakeFrom: Instant;
}

/**
 * Opens nothing but a netlink socket until there is a plan. Throws SystemCallError where even that is refused. `makeEcho`:
 * who sends the echoes; `asleep`: how long
 * the machine has slept, for tests.
 */
export function makeEngine(
  makeEcho: (deck: Deck) => ProbeKindEngine = makeIcmp,
  asleep: () => number = asleepMillis,
): Engine {
  const deck = deckOf(() => state);
  const state: State = {
    roads: makeRoads(),
    kinds: {
      icmp: makeEcho(deck),
      tcp: makeTcp(deck),
      http: makeHttp(deck),
      dns: makeDns(deck),
      mtu: makeIcmp(deck, 'full'),
    },
    streams: new Map(),
    slots: makeTimetable(),
    flights: makeTimetable(),
    banned: new Set(),
    basket: makeBasket(),
    laggedAt: instant(0),
    lookedAt: instant(0),
    ordinal: 0,
    wakeAt: null,
    timer: null,
    asleep,
    sleptMillis: asleep(),
    awakeFrom: instant(0),
  };
  return {
    plan: (tasks) => {
      replaceStreams(state, tasks, monotonicNow());
      arm(state, deck);
    },
    linkChanged: () => state.roads.forget(),
    allowIcmp: (family, allowed) => {
      if (allowed) state.banned.delete(family);
      else state.banned.add(family);
    },
    harvest: () => {
      wake(state, deck, 0);
      return state.basket.take();
    },
    close: () => {
      if (state.timer !== null) clearTimeout(state.timer);
      for (const kind of Object.values(state.kinds)) kind.close();
      state.roads.close();
    },
  };
}

function deckOf(state: () => State): Deck {
  const decide = (flight: Flight, outcome: Outcome): void => {
    if (flight.decided) return;
    flight.decided = true;
    flight.release(outcome);
    // What was on its way while the machine slept says nothing: our clock stood still, the world's did not.
    const slept = flight.sentAt < state().awakeFrom && outcome.kind !== 'not-run';
    state().basket.add(flight.stream, flight.sentAt, slept ? notRun('suspended') : outcome);
  };
  return {
    now: monotonicNow,
    decide,
    giveUp: (flight) => {
      const now = monotonicNow();
      const fault = state().roads.faultOf(flight.stream, now, strictAgeMillis, routineAgeMillis);
      if (fault !== null) decide(flight, fault);
      else if (now - flight.deadlineAt > lagLimitMillis) decide(flight, notRun('loop-lag'));
      else decide(flight, { kind: 'lost' });
    },
    stray: () => state().basket.stray(),
    laggedSince: (at) => state().laggedAt >= at,
  };
}

function wake(state: State, deck: Deck, lookAgeMillis: number): void {
  const now = monotonicNow();
  noteLag(state, now);
  noteSleep(state, now);
  if (now - state.lookedAt >= lookAgeMillis) lookAtAll(state, now);
  for (const stream of dueStreams(state, now)) {
    send(state, stream, monotonicNow());
    stream.pace = nextPace(stream.pace, Math.random(), now);
    state.slots.add(stream.pace.nextAt, stream);
  }
  const first = state.flights.first();
  if (first !== null && first.at <= now) setImmediate(() => settle(state, deck));
  else arm(state, deck);
}

/** Replies carry the kernel's stamp, so they are read in bulk; only a receive buffer's size limits the delay. */
function lookAtAll(state: State, now: Instant): void {
  state.lookedAt = now;
  for (const kind of probeKinds) state.kinds[kind].look();
}

function settle(state: State, deck: Deck): void {
  for (const flight of dueFlights(state, monotonicNow())) {
    flight.lastLook();
    if (!flight.decided) deck.giveUp(flight);
  }
  arm(state, deck);
}

function send(state: State, stream: Stream, now: Instant): void {
  const fault = faultBeforeSending(state, stream, now);
  const sent = fault ?? state.kinds[stream.task.kind].send(stream);
  if ('why' in sent) state.basket.add(stream, now, sent);
  else state.flights.add(instant(sent.deadlineAt + graceMillis), sent);
}

function faultBeforeSending(state: State, stream: Stream, now: Instant): NotRun | null {
  const byEcho = stream.task.kind === 'icmp' || stream.task.kind === 'mtu';
  const banned = byEcho && state.banned.has(stream.task.family);
  if (banned) return notRun('self-test-failed');
  return state.roads.faultOf(stream, now, routineAgeMillis, routeAgeMillis);
}

function replaceStreams(state: State, tasks: readonly ProbeTask[], now: Instant): void {
  const before = new Map(state.streams);
  state.streams.clear();
  for (const task of tasks) {
    const key = streamKey(task);
    const stream = before.get(key) ?? addedStream(state, task, now);
    before.delete(key);
    replan(stream, task, now);
    state.streams.set(key, stream);
  }
  for (const gone of before.values()) gone.planned = false;
  const planned = [...state.streams.values()];
  state.slots = makeTimetable();
  for (const stream of planned) state.slots.add(stream.pace.nextAt, stream);
  state.roads.keep(planned);
  for (const kind of probeKinds) {
    state.kinds[kind].prepare(planned.filter((stream) => stream.task.kind === kind));
  }
}

function addedStream(state: State, task: ProbeTask, now: Instant): Stream {
  const stream = newStream(task, state.ordinal, state.roads.wayOutFor(task), now);
  state.ordinal += 1;
  return stream;
}

function dueStreams(state: State, now: Instant): readonly Stream[] {
  const due: Stream[] = [];
  for (;;) {
    const first = state.slots.first();
    if (first === null) return due;
    const together = Math.min(mostTogetherMillis, togetherShare * first.entry.task.intervalMillis);
    if (first.at > now + together) return due;
    state.slots.drop();
    due.push(first.entry);
  }
}

function dueFlights(state: State, now: Instant): readonly Flight[] {
  const due: Flight[] = [];
  for (;;) {
    const first = state.flights.first();
    if (first === null || (first.at > now && !first.entry.decided)) return due;
    state.flights.drop();
    if (!first.entry.decided) due.push(first.entry);
  }
}

function noteSleep(state: State, now: Instant): void {
  const slept = state.asleep();
  if (slept - state.sleptMillis > lagLimitMillis) {
    state.awakeFrom = now;
    // Interfaces come back one after the other.
    state.roads.forget();
  }
  state.sleptMillis = slept;
}

function noteLag(state: State, now: Instant): void {
  const planned = state.wakeAt;
  if (planned === null) return;
  const late = now - planned;
  state.basket.lag(late);
  if (late > lagLimitMillis) state.laggedAt = now;
}

/** One timer for whatever comes first: a slot, or the deadline of a flight that is still open. */
function arm(state: State, deck: Deck): void {
  if (state.timer !== null) clearTimeout(state.timer);
  state.timer = null;
  state.wakeAt = null;
  for (let first = state.flights.first(); first?.entry.decided === true; first = state.flights.first()) {
    state.flights.drop();
  }
  const next = Math.min(
    state.slots.first()?.at ?? Number.POSITIVE_INFINITY,
    state.flights.first()?.at ?? Number.POSITIVE_INFINITY,
  );
  if (next === Number.POSITIVE_INFINITY) return;
  const now = monotonicNow();
  const delayMillis = Math.max(1, Math.ceil(next - now));
  // Node's timers count whole milliseconds and come up to one late by themselves.
  state.wakeAt = instant(now + delayMillis + 1);
  state.timer = setTimeout(() => wake(state, deck, lookMillis), delayMillis);
}
