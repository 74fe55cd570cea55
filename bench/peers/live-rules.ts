/**
 * Rules of tools that no package brings here, as they run on a clock: pinned by their documented constants, the same as
 * in the arena (`bench/arena/rules`), where each is explained. None of them is the tool itself.
 */
export interface Check {
  /** Index of the lab's target. */
  readonly target: number;
  readonly count: number;
  readonly gapMillis: number;
  readonly timeoutMillis: number;
}

export type Ping = (check: Check) => Promise<boolean>;
export type Pause = (millis: number) => Promise<unknown>;

export interface LiveRule {
  readonly name: string;
  readonly set: string;
  readonly cannot: string;
  /** What it takes down; absent: the announcement, with the session left alone. */
  readonly takesDown?: 'session';
  /** Whether the uplink is failed, after each look, for ever. */
  verdicts(ping: Ping, pause: Pause): AsyncGenerator<boolean>;
}

const oneTarget = 'tell a dead target from a dead uplink, hold back when all fail';

export const liveRules: readonly LiveRule[] = [
  {
    name: 'origin-script',
    set: '5 pings, one a second, every 10 s; when all are lost `birdc disable` of the session, and nothing that brings it back',
    cannot: `${oneTarget}, see partial loss, return`,
    takesDown: 'session',
    verdicts: consecutive({
      everyMillis: 10_000,
      count: 5,
      gapMillis: 1000,
      timeoutMillis: 1000,
      fall: 1,
      rise: Number.POSITIVE_INFINITY,
    }),
  },
  {
    name: 'anycast-healthchecker-rule',
    set: 'README: check_interval 10 s, check_timeout 2 s, check_rise 2, check_fail 2; the check is one ping',
    cannot: `${oneTarget}, see partial loss`,
    verdicts: consecutive({
      everyMillis: 10_000,
      count: 1,
      gapMillis: 0,
      timeoutMillis: 2000,
      fall: 2,
      rise: 2,
    }),
  },
  {
    name: 'birdwatcher-rule',
    set: 'defaults of its config.go: interval 1 s, timeout 10 s, fail 1, rise 1; the check is one ping of at most 1 s',
    cannot: oneTarget,
    verdicts: consecutive({
      everyMillis: 1000,
      count: 1,
      gapMillis: 0,
      timeoutMillis: 1000,
      fall: 1,
      rise: 1,
    }),
  },
  {
    name: 'dpinger-rule',
    set: 'pfSense: 500 ms, lost after 2 s, alarm above 20 % of 60 s, ten looks to clear; begins with a minute of good answers',
    cannot: 'tell a dead target from a dead uplink, hold back when all fail',
    verdicts: dpinger,
  },
  {
    name: 'mwan3-rule',
    set: 'mwan3track: 4 targets, reliability 1, timeout 4 s, interval 10 s, down 5, up 5',
    cannot: 'see partial loss, hold back when all fail',
    verdicts: mwan3,
  },
];

interface Consecutive extends Omit<Check, 'target'> {
  readonly everyMillis: number;
  readonly fall: number;
  readonly rise: number;
}

function consecutive(rule: Consecutive): LiveRule['verdicts'] {
  return async function* (ping, pause) {
    let failed = false;
    let opposite = 0;
    for (;;) {
      const next = pause(rule.everyMillis);
      const answered = await ping({ ...rule, target: 0 });
      opposite = answered === failed ? opposite + 1 : 0;
      if (opposite >= (failed ? rule.rise : rule.fall)) {
        failed = !failed;
        opposite = 0;
      }
      yield failed;
      await next;
    }
  };
}

async function* dpinger(ping: Ping, pause: Pause): AsyncGenerator<boolean> {
  const slots = 120;
  // As after a minute in which all was well: a shorter memory would flatter it.
  const known = Array.from({ length: slots }, () => true);
  const note = async (answer: Promise<boolean>): Promise<void> => {
    known.push(await answer);
    if (known.length > slots) known.shift();
  };
  let decay = 0;
  for (;;) {
    void note(ping({ target: 0, count: 1, gapMillis: 0, timeoutMillis: 2000 }));
    await pause(500);
    const lost = known.filter((answered) => !answered).length;
    const percent = Math.floor((100 * lost) / known.length);
    // It looks each second; each look is two probes.
    decay = percent > 20 ? 20 : Math.max(0, decay - 1);
    yield decay > 0;
  }
}

async function* mwan3(ping: Ping, pause: Pause): AsyncGenerator<boolean> {
  const [down, up] = [5, 5];
  let score = down + up;
  for (;;) {
    let answered = false;
    for (let target = 0; target < 4 && !answered; target += 1)
      answered = await ping({ target, count: 1, gapMillis: 0, timeoutMillis: 4000 });
    if (answered) score = score + 1 >= up ? down + up : score + 1;
    else score = score - 1 <= up ? 0 : score - 1;
    yield score < up;
    await pause(10_000);
  }
}
