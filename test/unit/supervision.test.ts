/** What systemd is told, on a clock that stands where the test puts it. */
import { describe, expect, test } from 'vitest';
import type { ServiceManager } from '../../src/adapters/systemd-notify.ts';
import { summaryLine } from '../../src/daemon/summary-line.ts';
import { openSupervision, supervised, type TickFacts } from '../../src/daemon/supervision.ts';
import type { BirdView } from '../../src/types/bird-view.ts';
import type { UplinkHealth } from '../../src/types/health.ts';
import { instant, millis } from '../../src/types/units.ts';
import type { Wish } from '../../src/types/wish.ts';
import type { AnnounceState, HealthState } from '../../src/types/wire/enums.ts';

const seen = { kind: 'seen', protocols: new Map() } as unknown as BirdView;
const away: BirdView = {
  kind: 'unreachable',
  path: '/run/bird/bird.ctl',
  code: 'ENOENT',
  text: 'no socket',
} as unknown as BirdView;

function facts(given: Partial<TickFacts> & { view?: BirdView } = {}): TickFacts {
  const { view = seen, ...others } = given;
  return {
    mode: 'live',
    report: { view, health: healthOf({ cmi: 'healthy' }), wish: wishOf(['announce']) },
    alarms: [],
    isFrozen: false,
    isProberHeard: true,
    ...others,
  };
}

function healthOf(states: Readonly<Record<string, HealthState>>): readonly UplinkHealth[] {
  return Object.entries(states).map(
    ([uplink, health]) => ({ uplink, family: 4, uplinkVerdict: { health } }) as unknown as UplinkHealth,
  );
}

function wishOf(states: readonly AnnounceState[]): Wish {
  const announcements = states.map((state) => ({ state }));
  return { announcements, egress: [] } as unknown as Wish;
}

/** A systemd that writes down what it is told, and takes nothing while it is `deaf`. */
function world(watchdogMillis: number | null = null) {
  const clock = { at: 1000 };
  const heard: string[] = [];
  const systemd = { deaf: false };
  const manager: ServiceManager = {
    send(lines) {
      if (systemd.deaf) return false;
      heard.push(...lines);
      return true;
    },
    watchdogMillis: watchdogMillis === null ? null : millis(watchdogMillis),
    close: () => undefined,
  };
  const supervision = openSupervision(manager, () => instant(clock.at));
  const told = (): readonly string[] => heard.splice(0);
  return { clock, systemd, supervision, told };
}

describe('ready', () => {
  test('comes with the first tick that read BIRD and heard the prober, once', () => {
    const { supervision, told, clock } = world();
    expect(supervision.ticked(facts({ view: away }))).toBeNull();
    expect(supervision.ticked(facts({ isProberHeard: false }))).toBeNull();
    expect(told()).not.toContain('READY=1');
    expect(supervision.ticked(facts())).toBe('as-meant');
    expect(told()).toContain('READY=1');
    clock.at += 60_000;
    expect(supervision.ticked(facts())).toBeNull();
    expect(told()).not.toContain('READY=1');
  });

  test('comes after ten seconds of ticks in any case', () => {
    const { supervision, told, clock } = world();
    expect(supervision.ticked(facts({ view: away }))).toBeNull();
    clock.at += 9999;
    expect(supervision.ticked(facts({ view: away }))).toBeNull();
    expect(told()).not.toContain('READY=1');
    clock.at += 1;
    expect(supervision.ticked(facts({ view: away }))).toBe('bound');
    expect(told()).toContain('READY=1');
  });

  test('is said again until systemd takes it', () => {
    const { supervision, told, systemd } = world();
    systemd.deaf = true;
    expect(supervision.ticked(facts())).toBe('as-meant');
    systemd.deaf = false;
    expect(supervision.ticked(facts())).toBeNull();
    expect(told()).toContain('READY=1');
  });

  test('is found out without systemd too, for the log', () => {
    const supervision = openSupervision(null, () => instant(0));
    expect(supervision.ticked(facts())).toBe('as-meant');
  });
});

describe('the watchdog', () => {
  test('is fed by ticks, four times within its time, and by nothing else', async () => {
    const { supervision, told, clock } = world(20_000);
    supervision.ticked(facts());
    expect(told()).toContain('WATCHDOG=1');
    clock.at += 4999;
    supervision.ticked(facts());
    expect(told()).not.toContain('WATCHDOG=1');
    clock.at += 1;
    supervision.ticked(facts());
    expect(told()).toContain('WATCHDOG=1');
    clock.at += 60_000;
    await supervision.reload(() => Promise.resolve());
    supervision.stopping();
    expect(told()).not.toContain('WATCHDOG=1');
  });

  test('that is not there is not fed', () => {
    const { supervision, told } = world(null);
    supervision.ticked(facts());
    expect(told()).not.toContain('WATCHDOG=1');
  });
});

describe('the status line', () => {
  test('is told when it changes, once a second at most', () => {
    const { supervision, told, clock } = world();
    supervision.ticked(facts());
    expect(told()).toContain('STATUS=live; cmi healthy; 1 of 1 announced');
    clock.at += 500;
    supervision.ticked(facts({ isFrozen: true }));
    expect(told()).toEqual([]);
    clock.at += 500;
    supervision.ticked(facts({ isFrozen: true }));
    expect(told()).toEqual(['STATUS=live, frozen; cmi healthy; 1 of 1 announced']);
    clock.at += 5000;
    supervision.ticked(facts({ isFrozen: true }));
    expect(told()).toEqual([]);
  });

  test.each<[string, TickFacts, boolean]>([
    [
      'starting; live; BIRD does not answer (ENOENT); cmi healthy; 1 of 1 announced',
      facts({ view: away }),
      true,
    ],
    [
      'live; cmi failed, pccw healthy; 1 of 3 announced, 1 drained, 1 withdrawn; alarms: last-resort, frozen',
      facts({
        report: {
          view: seen,
          health: [...healthOf({ cmi: 'healthy', pccw: 'healthy' }), ...healthOf({ cmi: 'failed' })],
          wish: wishOf(['announce', 'drain', 'withdraw']),
        },
        alarms: ['last-resort', 'last-resort', 'frozen'],
      }),
      false,
    ],
    [
      'observe; 7 uplinks: 1 failed, 2 unknown, 4 healthy; would announce 2 of 2',
      facts({
        mode: 'observe',
        report: {
          view: seen,
          health: healthOf({
            a: 'healthy',
            b: 'unknown',
            c: 'failed',
            d: 'healthy',
            e: 'unknown',
            f: 'healthy',
            g: 'healthy',
          }),
          wish: wishOf(['announce', 'announce']),
        },
      }),
      false,
    ],
  ])('%s', (line, given, isStarting) => {
    expect(summaryLine(given, isStarting)).toBe(line);
  });
});

describe('a reload', () => {
  const reloader = { reload: () => Promise.resolve(), review: () => undefined, alarms: () => [] };
  const request = { author: 'test', dryRun: false };

  test('stands between RELOADING and READY, also when it fails', async () => {
    const { supervision, told } = world();
    supervision.ticked(facts());
    told();
    const failing = () => Promise.reject(new Error('no'));
    await expect(supervision.reload(failing)).rejects.toThrow('no');
    expect(told()).toEqual(['RELOADING=1', 'MONOTONIC_USEC=1000000', 'READY=1']);
  });

  test('whose end systemd did not take is ended by the next tick', async () => {
    const { supervision, told, systemd } = world();
    supervision.ticked(facts());
    await supervision.reload(() => {
      systemd.deaf = true;
      return Promise.resolve();
    });
    told();
    systemd.deaf = false;
    supervision.ticked(facts());
    expect(told()).toContain('READY=1');
  });

  test('that only shows what would change is none', async () => {
    const { supervision, told } = world();
    supervision.ticked(facts());
    told();
    const told2 = supervised(reloader as never, supervision);
    await told2.reload({ ...request, dryRun: true });
    expect(told()).toEqual([]);
    await told2.reload(request);
    expect(told()).toContain('RELOADING=1');
  });

  test('before the service is ready does not make it so', async () => {
    const { supervision, told } = world();
    await supervision.reload(() => Promise.resolve());
    expect(told()).toEqual([]);
  });
});

test('a stop asks for more time with each second of ticks', () => {
  const { supervision, told, clock } = world();
  supervision.ticked(facts());
  told();
  supervision.stopping();
  supervision.ticked(facts());
  clock.at += 500;
  supervision.ticked(facts());
  clock.at += 500;
  supervision.ticked(facts());
  expect(told()).toEqual(['STOPPING=1', 'EXTEND_TIMEOUT_USEC=15000000', 'EXTEND_TIMEOUT_USEC=15000000']);
});
