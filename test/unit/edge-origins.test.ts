/** Origins of the edge: judged over each uplink by handshakes in a row, and no part of any uplink's health. */
import { describe, expect, test } from 'vitest';
import {
  isOriginUp,
  noteOrigins,
  type OriginStreams,
  planOrigins,
  viewOrigin,
} from '../../src/core/edge-feed/origins.ts';
import { createHealth } from '../../src/core/health/create-health.ts';
import { tasksOf } from '../../src/core/probe-tasks.ts';
import type { NodeConfig } from '../../src/types/config.ts';
import type { Outcome, ProbeTask } from '../../src/types/outcome.ts';
import { instant, millis } from '../../src/types/units.ts';
import { nodeWith } from '../support/node-config.ts';
import { policy } from '../support/world.ts';

const origin = { family: 4, address: '198.51.100.80', port: 443, weight: 1 } as const;
const probe = { intervalMillis: millis(1000), timeoutMillis: millis(500), rise: 2, fall: 3 };

function configWith(via: readonly string[]): NodeConfig {
  return {
    ...nodeWith(['cmi', 'pccw', 'hkbn']),
    edge: {
      host: 'hk1.edge.test',
      weight: 100,
      ttlMillis: millis(15_000),
      probe,
      pools: [
        { name: 'app', origins: [{ ...origin, via }] },
        { name: 'again', origins: [{ ...origin, via }] },
      ],
    },
  };
}

const answered: Outcome = { kind: 'answered', rttMillis: millis(3) };
const refused: Outcome = { kind: 'answered', rttMillis: millis(3), wrong: 'refused' };
const lost: Outcome = { kind: 'lost' };
const notRun: Outcome = { kind: 'not-run', why: 'interface-missing' };

/** A second passes with each outcome; `at` counts from 1 s. */
function after(streams: OriginStreams, task: ProbeTask, outcomes: readonly Outcome[]): OriginStreams {
  return outcomes.reduce(
    (now, outcome, index) =>
      noteOrigins(
        now,
        [{ task: task.id, sentAt: instant((index + 1) * 1000), outcome }],
        probe,
        instant((index + 1) * 1000),
      ),
    streams,
  );
}

describe('the probes of origins', () => {
  const tasks = tasksOf(configWith(['cmi', 'hkbn']));
  const own = tasks.filter((task) => task.class === 'origin');

  test('there is one for each uplink that is named, however many pools have the origin', () => {
    expect(
      own.map(({ uplink, kind, address, port, target }) => [uplink, kind, address, port, target]),
    ).toEqual([
      ['cmi', 'tcp', '198.51.100.80', 443, '198.51.100.80 443'],
      ['hkbn', 'tcp', '198.51.100.80', 443, '198.51.100.80 443'],
    ]);
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(tasks.length);
  });

  test('they are no part of health: not one stream, and no uplink of their own', () => {
    const health = createHealth(tasks, policy, instant(0));
    expect(health.groups.flatMap(({ streams }) => streams.map((stream) => stream.class))).not.toContain(
      'origin',
    );
    expect(own.every(({ id }) => !health.places.has(id))).toBe(true);
  });
});

describe('an origin', () => {
  const tasks = tasksOf(configWith(['cmi', 'pccw'])).filter((task) => task.class === 'origin');
  const [cmi, pccw] = tasks;
  if (cmi === undefined || pccw === undefined) throw new Error('two tasks are needed');
  const fresh = planOrigins(tasks, new Map(), instant(0));
  const stateOf = (streams: OriginStreams, seconds: number): readonly string[] =>
    viewOrigin(streams, origin, instant(seconds * 1000)).map(({ state }) => state);

  test.each([
    ['rises with the second handshake in a row', [answered, answered], 'up'],
    ['is not known after one', [answered], 'unknown'],
    ['falls with the third failure in a row', [answered, answered, lost, refused, lost], 'down'],
    ['stands after two failures and an answer', [answered, answered, lost, lost, answered], 'up'],
    ['falls when it refuses, which for an uplink is an answer', [refused, refused, refused], 'down'],
    ['is not taken down by what did not run', [answered, answered, lost, lost, notRun, notRun], 'up'],
  ] as const)('%s', (_title, outcomes, state) => {
    expect(stateOf(after(fresh, cmi, outcomes), outcomes.length)).toEqual([state, 'unknown']);
  });

  test('is not known any more when its probes fall silent', () => {
    const up = after(fresh, cmi, [answered, answered]);
    expect(stateOf(up, 7)[0]).toBe('up');
    expect(stateOf(up, 8)[0]).toBe('unknown');
  });

  test('goes on where it was when the plan changes, under whatever number', () => {
    const up = after(fresh, cmi, [answered, answered]);
    const renumbered = tasks.map((task) => ({ ...task, id: task.id + 100 }));
    expect(stateOf(planOrigins(renumbered, up, instant(2000)), 2)).toEqual(['up', 'unknown']);
    expect(planOrigins([], up, instant(2000)).size).toBe(0);
  });

  const view = (...states: readonly ('up' | 'down' | 'unknown')[]) =>
    states.map((state, index) => ({ uplink: `u${index}`, state, text: null }));
  test.each([
    [view('up', 'down'), false, true],
    [view('down', 'unknown'), true, false],
    [view('down', 'down'), true, false],
    [view('unknown', 'unknown'), true, true],
    [view('unknown', 'unknown'), false, false],
    [[], true, true],
  ])('over uplinks %j, told %s before, it is told %s', (views, last, up) => {
    expect(isOriginUp(views, last)).toBe(up);
  });
});
