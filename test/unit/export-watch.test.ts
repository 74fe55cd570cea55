/** The alarm of a session that exports something else than it is configured to. */
import { describe, expect, test } from 'vitest';
import { watchExports } from '../../src/daemon/export-watch.ts';
import type { BirdSeen, ProtocolSeen } from '../../src/types/bird-view.ts';
import { instant } from '../../src/types/units.ts';
import { birdShowing, type Shown } from '../support/bird.ts';
import { nodeWith } from '../support/node-config.ts';

const config = nodeWith(['cmi']);

interface Seen {
  readonly announce?: Shown['state'];
  readonly exported: number | null;
  readonly info?: string;
  readonly name?: string;
}

function at(
  seconds: number,
  { announce = 'up', exported, info = 'Established', name = 'bgp_cmi4' }: Seen,
): BirdSeen {
  const view = birdShowing(
    {
      announce_cmi_web4: { state: announce },
      drain_cmi_web4: { state: 'down' },
      bgp_cmi4: { state: 'up', info },
    },
    { readAt: instant(seconds * 1000) },
  );
  const session = view.protocols.get('bgp_cmi4') as ProtocolSeen;
  const channel = {
    family: 4 as const,
    state: 'UP',
    imported: 1,
    exported,
    importUpdates: null,
    importWithdraws: null,
    exportUpdates: null,
    exportWithdraws: null,
  }; // prettier-ignore
  return {
    ...view,
    protocols: new Map([...view.protocols, ['bgp_cmi4', { ...session, name, channels: [channel] }]]),
  };
}

test('what is exported as configured is no alarm, announced or withdrawn', () => {
  const watch = watchExports();
  for (let second = 0; second < 20; second += 1) {
    expect(watch.look(config, at(second, { exported: 1 }))).toEqual([]);
    expect(watch.look(config, at(second, { announce: 'down', exported: 0 }))).toEqual([]);
  }
});

test.each([
  ['nothing where something is announced', { exported: 0 }, 'exports 0 prefixes where 1 are configured'],
  [
    'something where all is withdrawn',
    { announce: 'down' as const, exported: 1 },
    'exports 1 prefixes where 0',
  ],
  ['more than there is', { exported: 3 }, 'exports 3 prefixes where 1'],
])('%s is an alarm after 5 s, and none before', (_, seen: Seen, says) => {
  const watch = watchExports();
  for (const second of [0, 2, 5]) expect(watch.look(config, at(second, seen))).toEqual([]);
  expect(watch.look(config, at(5.2, seen))).toEqual([
    { code: 'export-differs', text: expect.stringContaining(says) },
  ]);
  expect(watch.look(config, at(6, { exported: 1 }))).toEqual([]);
  expect(watch.look(config, at(7, seen))).toEqual([]);
});

describe('is not an alarm', () => {
  test.each<[string, Seen]>([
    ['a session that is down', { exported: 0, info: 'Active' }],
    ['a count that is not shown', { exported: null }],
    ['a session of another name', { exported: 0, name: 'my_cmi_v4' }],
  ])('%s', (_, seen) => {
    const watch = watchExports();
    for (const second of [0, 10, 20]) expect(watch.look(config, at(second, seen))).toEqual([]);
  });

  test('a BIRD that is away, and the time that it is away', () => {
    const watch = watchExports();
    expect(watch.look(config, at(0, { exported: 0 }))).toEqual([]);
    const away = {
      kind: 'unreachable',
      readAt: instant(9000),
      path: 'x',
      code: 'ENOENT',
      text: 'x',
    } as const;
    expect(watch.look(config, away)).toEqual([]);
  });
});
