/** `causeway explain UPLINK` reads like a colleague, and what it says to type can be typed. */
import { describe, expect, test } from 'vitest';
import { adviceFor } from '../../src/cli/advice.ts';
import { type Explained, explainText } from '../../src/cli/explain-text.ts';
import { widthOf } from '../../src/cli/text-width.ts';
import type { HistoryEntry } from '../../src/types/wire/history.ts';
import type { AnnouncementStatus, FamilyStatus, StatusDocument } from '../../src/types/wire/status.ts';
import { causewayCommands, complaintAbout } from '../support/command-lines.ts';
import { familyStatus, statusOf } from './host-node.ts';

const [announced] = familyStatus().announcements;
if (announced === undefined) throw new Error('the fixture has an announcement');

const withdrawn: AnnouncementStatus = {
  ...announced,
  wish: 'withdraw',
  seen: 'absent',
  reason: 'loss',
  text: 'loss 34 % on 3 of 4 targets in ID',
};

const [target] = familyStatus().targets;
if (target === undefined) throw new Error('the fixture has a target');

const failed = familyStatus({
  health: 'failed',
  reason: 'loss',
  text: 'loss 34 % on 3 of 4 targets in ID',
  sinceSeconds: 130,
  evidence: { ...familyStatus().evidence, loss: 0.34, answered: 330, lost: 170, targets: 4, badTargets: 3 },
  regions: { ID: { health: 'failed', reason: 'loss' }, PH: { health: 'healthy', reason: 'healthy' } },
  targets: [{ ...target, health: 'failed', loss: 0.4, rttP95Millis: 88 }],
  announcements: [withdrawn],
});

function explained(
  family: FamilyStatus,
  more: Partial<StatusDocument> = {},
  history: HistoryEntry[] = [],
): Explained {
  const document = statusOf({
    uplinks: [{ uplink: 'cmi', carrier: 'cmi', interface: 'eth1', link: 'up', families: { '4': family } }],
    ...more,
  });
  const [uplink] = document.uplinks;
  if (uplink === undefined) throw new Error('there is an uplink');
  const announcements = family.announcements.map(({ service }) => ({
    service,
    uplink: 'cmi',
    family: 4 as const,
    lines: [
      `${service} IPv4 on cmi is withdrawn: loss, loss 34 % on 3 of 4 targets in ID`,
      'measured: failed for 2 min 10 s, loss 34 %; gateway healthy',
      'returns after 1 min of clean measurements and a hold of 1 min; flap budget 1000 of 2000, changes left: 0',
    ],
  }));
  return { document, uplink, announcements, history, advice: adviceFor(document, uplink) };
}

const wide = { columns: 200, colour: false };

test('a failed uplink: what is wrong, since when, evidence, what was done, what it waits for, what to type', () => {
  expect(explainText(explained(failed), wide).split('\n')).toEqual([
    'cmi on hk1 (carrier cmi, eth1): measured failed, 1 announcement taken back',
    '',
    'IPv4: failed for 2 min',
    '  why       loss: loss 34 % on 3 of 4 targets in ID',
    '  evidence  170 probes of 500 lost (34 %), p95 88 ms, 3 of 4 targets bad',
    '            measured: failed for 2 min 10 s, loss 34 %; gateway healthy',
    '  regions   ID failed (loss); healthy: PH',
    '  targets   jkt-1 198.51.100.10 (ID): failed, loss 40 %, p95 88 ms',
    '  session   Established since 2026-11-30 01:00:00.000',
    '  web       web IPv4 on cmi is withdrawn: loss, loss 34 % on 3 of 4 targets in ID',
    '  waits for returns after 1 min of clean measurements and a hold of 1 min; flap budget 1000 of 2000, changes left: 0',
    '',
    'What to type',
    '  causeway force announce cmi --for 30min --reason TEXT',
    '      announce it whatever is measured',
  ]);
});

test('a healthy one says so in its first line, and how to take it out', () => {
  const text = explainText(explained(familyStatus()), wide);
  expect(text.split('\n')[0]).toBe(
    'cmi on hk1 (carrier cmi, eth1): healthy, and everything on it is announced',
  );
  expect(text).toContain('causeway drain cmi --for 2h --reason TEXT');
});

test.each([40, 80, 120])(
  'no line is wider than %d columns, but for commands, which are for copying',
  (columns) => {
    const lines = explainText(explained(failed), { columns, colour: false }).split('\n');
    const prose = lines.filter((line) => !line.startsWith('  causeway '));
    for (const line of prose) expect(widthOf(line), `too wide: ${line}`).toBeLessThanOrEqual(columns);
  },
);

test('colour changes no text', () => {
  const coloured = explainText(explained(failed), { columns: 80, colour: true });
  // oxlint-disable-next-line no-control-regex
  expect(coloured.replaceAll(/\u001B\[\d+m/g, '')).toBe(
    explainText(explained(failed), { columns: 80, colour: false }),
  );
});

describe('what to type', () => {
  const frozen = { author: 'kim', reason: 'storm', at: '2026-11-30T01:00:00Z' };
  const cases: readonly (readonly [string, Explained, string])[] = [
    ['verdict', explained(failed), 'causeway force announce cmi'],
    [
      'last resort',
      explained({
        ...failed,
        announcements: [
          {
            ...announced,
            reason: 'last-resort',
            held: { guard: 'last-resort', text: 'the last', remainingSeconds: null },
          },
        ],
      }),
      'causeway force withdraw cmi --last',
    ],
    [
      'override',
      explained({ ...failed, announcements: [{ ...withdrawn, reason: 'override', author: 'kim' }] }),
      'causeway release cmi',
    ],
    [
      'maintenance',
      explained({
        ...failed,
        announcements: [{ ...withdrawn, reason: 'maintenance', author: 'maintenance' }],
      }),
      'causeway force announce cmi',
    ],
    [
      'readiness',
      explained({ ...failed, announcements: [{ ...withdrawn, reason: 'not-ready' }] }),
      'causeway doctor',
    ],
    ['freeze', explained(failed, { freeze: frozen }), 'causeway thaw --dry-run'],
    [
      'BIRD away',
      explained(failed, { bird: { kind: 'unreachable', path: '/x', code: 'ENOENT', text: 'gone' } }),
      'systemctl status bird',
    ],
    ['session', explained({ ...failed, session: { state: 'Active' } }), 'birdc show protocols all bgp_cmi4'],
    [
      'probes that do not run',
      explained({ ...failed, targets: [{ ...target, notRun: 'route-missing' }] }),
      'causeway routing --check',
    ],
    [
      'file behind',
      explained({ ...failed, announcements: [{ ...withdrawn, file: 'behind' }] }),
      'causeway doctor',
    ],
    ['observe', explained(failed, { mode: 'observe' }), 'causeway diff'],
    ['nothing', explained(familyStatus()), 'causeway drain cmi'],
  ];
  test.each(cases)('%s', async (_name, one, wanted) => {
    expect(one.advice.map(({ command }) => command).join('\n')).toContain(wanted);
    for (const { command } of one.advice)
      for (const words of causewayCommands(command))
        expect(await complaintAbout(words), `of: ${command}`).toBeNull();
    const unique = new Set(one.advice.map(({ command }) => command));
    expect(unique.size).toBe(one.advice.length);
  });
});

test('alarms of the node and the latest entries are there', () => {
  const entry: HistoryEntry = {
    kind: 'alarm',
    id: 1,
    at: '2026-11-30T01:00:07.203Z',
    monotonicMillis: 1,
    bootId: 'b',
    author: 'causeway',
    reason: 'all-bad',
    text: 'the others are undecided',
    event: 'raised',
  };
  const alarms = [{ code: 'all-bad', text: 'web on cmi', since: '2026-11-30T01:00:00Z' }];
  const text = explainText(explained(failed, { alarms }, [entry]), wide);
  expect(text).toContain(
    'Lately\n  2026-11-30 01:00:07.203  alarm       raised: all-bad: the others are undecided',
  );
  expect(text).toContain('Alarms of the node\n  all-bad: web on cmi');
});
