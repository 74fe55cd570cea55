/** The pace of readiness checks: a hung one delays nobody, and what our own machine delays is nobody's failure. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { startCheckLoop, type CheckLoop } from '../../src/host/ready/check-loop.ts';
import { startDeadline } from '../../src/host/ready/deadline.ts';
import type { RunCheck } from '../../src/host/ready/run-check.ts';
import { startReadiness } from '../../src/daemon/readiness.ts';
import type { Service } from '../../src/types/config.ts';
import type { ReadyCheck, ReadyProbe } from '../../src/types/ready-check.ts';
import type { ReadyOutcome } from '../../src/types/ready-outcome.ts';
import { instant, millis } from '../../src/types/units.ts';
import { web } from '../support/world.ts';

const soon = { timeout: 30_000, interval: 5 };
const pass: ReadyOutcome = { kind: 'pass', text: 'fine' };
const never = (): Promise<ReadyOutcome> => new Promise(() => undefined);
const probe = (path: string): ReadyProbe => ({
  kind: 'http',
  url: `http://127.0.0.1${path}`,
  to: { kind: 'http', host: '127.0.0.1', port: 80 },
  path,
  host: null,
  expect: null,
  body: null,
});
const check = (path: string, more: Partial<ReadyCheck> = {}): ReadyCheck => ({
  probe: probe(path),
  intervalMillis: millis(20),
  timeoutMillis: millis(20),
  rise: 2,
  fall: 3,
  ...more,
});

let loops: CheckLoop[] = [];
afterEach(() => {
  for (const loop of loops) loop.stop();
  loops = [];
});

function follow(checked: ReadyCheck, run: RunCheck): ReadyOutcome[] {
  const told: ReadyOutcome[] = [];
  loops.push(startCheckLoop(checked, run, (outcome) => told.push(outcome)));
  return told;
}

describe('a check', () => {
  test('that hangs fails at its timeout, is ended, and is asked again', async () => {
    const ended: boolean[] = [];
    const told = follow(check('/'), (_, signal) => {
      const at = ended.push(false) - 1;
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          ended[at] = true;
          resolve(pass);
        });
      });
    });
    await vi.waitFor(() => expect(told.length).toBeGreaterThanOrEqual(3), soon);
    expect(told[0]).toEqual({ kind: 'fail', text: 'no answer in 20 ms' });
    expect(ended.slice(0, 3)).toEqual([true, true, true]);
  });

  test('that cannot be ended is not started a second time, and goes on failing', async () => {
    let started = 0;
    const told = follow(check('/'), () => {
      started += 1;
      return never();
    });
    await vi.waitFor(() => expect(told.length).toBeGreaterThanOrEqual(4), soon);
    expect(started).toBe(1);
    expect(told.every(({ kind }) => kind === 'fail')).toBe(true);
  });

  test('that asks the machine, not the service, has not run when the machine does not answer', async () => {
    const told = follow({ ...check('/'), probe: { kind: 'systemd', unit: 'x.service' } }, never);
    await vi.waitFor(() => expect(told.length).toBeGreaterThanOrEqual(2), soon);
    expect(told[0]).toEqual({ kind: 'not-run', text: 'no answer from this machine in 20 ms' });
  });

  test('that hangs does not delay another one', async () => {
    const hung = follow(check('/hung', { timeoutMillis: millis(60_000) }), never);
    const told = follow(check('/well'), async () => pass);
    await vi.waitFor(() => expect(told.length).toBeGreaterThanOrEqual(5), soon);
    expect(hung).toEqual([]);
  });

  test('tells nothing after it was stopped', async () => {
    const told = follow(check('/'), async () => pass);
    await vi.waitFor(() => expect(told.length).toBeGreaterThanOrEqual(1), soon);
    for (const loop of loops) loop.stop();
    const heard = told.length;
    const other = follow(check('/other'), async () => pass);
    await vi.waitFor(() => expect(other.length).toBeGreaterThanOrEqual(3), soon);
    expect(told).toHaveLength(heard);
  });
});

describe('a deadline', () => {
  test('waits again for as long as this process stood still, and no longer', async () => {
    const slicesUntilOver = async (lateIn: readonly number[]): Promise<number> => {
      let [now, looks] = [0, 0];
      // Looked at when a slice of 2 ms begins and when it ends; in these it ends a minute late.
      const clock = (): number => {
        looks += 1;
        if (looks % 2 === 0) now += lateIn.includes(looks / 2) ? 60_000 : 2;
        return now;
      };
      expect(await startDeadline(8, clock).end).toBe('over');
      return looks / 2;
    };
    expect(await slicesUntilOver([])).toBe(4);
    expect(await slicesUntilOver([4])).toBe(5);
    expect(await slicesUntilOver([1, 2, 6])).toBe(7);
  });

  test('says that we were late ourselves when that does not end', async () => {
    // A clock by which every slice takes a second.
    let now = 0;
    const clock = (): number => (now += 1000);
    expect(await startDeadline(8, clock).end).toBe('stalled');
  });
});

describe('the readiness of services', () => {
  const service = (name: string, ...ready: readonly ReadyCheck[]): Service => ({ ...web, name, ready });
  const running: { stop(): void }[] = [];
  afterEach(() => {
    for (const one of running.splice(0)) one.stop();
  });
  const start = (services: readonly Service[], run: RunCheck) => {
    const readiness = startReadiness({ services }, () => instant(performance.now()), run);
    running.push(readiness);
    return readiness;
  };
  /** Passes but for the paths that fail. */
  const by =
    (failing: ReadonlySet<string>): RunCheck =>
    async (asked) =>
      asked.kind === 'http' && failing.has(asked.path) ? { kind: 'fail', text: 'status 503' } : pass;

  test('is unknown at first, then what the checks say; a service without a check has none', async () => {
    const failing = new Set<string>(['/b']);
    const readiness = start(
      [service('a', check('/a')), service('b', check('/a'), check('/b')), service('c')],
      by(failing),
    );
    expect([...readiness.facts().values()].map(({ state }) => state)).toEqual(['unknown', 'unknown']);
    await vi.waitFor(() => expect(readiness.facts().get('b')?.state).toBe('not-ready'), soon);
    await vi.waitFor(() => expect(readiness.facts().get('a')?.state).toBe('ready'), soon);
    expect(readiness.facts().has('c')).toBe(false);
    expect(readiness.status().map(({ readiness: state }) => state)).toEqual([
      'ready',
      'not-ready',
      'no-check',
    ]);
    expect(readiness.alarms()).toEqual([{ code: 'not-ready', text: 'b: http://127.0.0.1/b: status 503' }]);
    failing.clear();
    await vi.waitFor(() => expect(readiness.facts().get('b')?.state).toBe('ready'), soon);
    expect(readiness.alarms()).toEqual([]);
  });

  test('survives a reload for a check that did not change, and begins anew for one that did', async () => {
    const readiness = start([service('a', check('/a')), service('b', check('/a'))], by(new Set()));
    await vi.waitFor(
      () => expect([...readiness.facts().values()].every(({ state }) => state === 'ready')).toBe(true),
      soon,
    );
    const { since } = readiness.facts().get('a') ?? { since: null };
    readiness.use([service('a', check('/a')), service('b', check('/a', { rise: 1000 }))]);
    expect(readiness.facts().get('a')).toMatchObject({ state: 'ready', since });
    expect(readiness.facts().get('b')?.state).toBe('unknown');
    readiness.use([service('b')]);
    expect(readiness.facts().size).toBe(0);
  });
});
