/** What an operator reads at three in the morning. */
import { expect, test } from 'vitest';
import { renderStatus } from '../../src/cli/status-text.ts';
import { familyStatus, statusOf } from './host-node.ts';

const plain = { columns: 80, colour: false };
const announcement = familyStatus().announcements[0];
if (announcement === undefined) throw new Error('the fixture has an announcement');

const failed = familyStatus({
  health: 'failed',
  reason: 'loss',
  text: 'loss 34 % on 7 of 10 targets in 10 s, gateway answers',
  sinceSeconds: 42,
  regions: { ID: { health: 'failed', reason: 'loss' }, PH: { health: 'healthy', reason: 'healthy' } },
  session: { state: 'Active' },
  announcements: [
    {
      ...announcement,
      wish: 'withdraw',
      seen: 'absent',
      reason: 'loss',
      text: 'loss 34 %',
      file: 'behind',
      held: { guard: 'all-bad', text: 'the others are undecided', remainingSeconds: 7 },
    },
  ],
});

function uplinkWith(status: typeof failed) {
  return statusOf({
    uplinks: [{ uplink: 'cmi', carrier: 'cmi', interface: 'eth1', link: 'down', families: { '4': status } }],
  });
}

test('a healthy uplink is one line for each family', () => {
  expect(renderStatus(statusOf(), plain)).toBe(
    [
      'hk1  live  BIRD 2.0.12  prober icmp-socket',
      'uplink  ip  health   loss   p95    regions  wish      seen',
      'cmi     v4  healthy  0.2 %  88 ms  2/2      announce  exported',
      'cmi     v6  healthy  0.2 %  88 ms  2/2      announce  exported',
    ].join('\n'),
  );
});

test('a failed uplink says why, where, what is held and what does not follow', () => {
  const text = renderStatus(uplinkWith(failed), plain);
  expect(text).toContain('cmi     v4  failed  0.2 %  88 ms  1/2      withdraw  absent');
  for (const line of [
    'interface eth1: link down',
    'loss: loss 34 % on 7 of 10 targets in 10 s, gateway answers (for 42 s)',
    'regions: ID failed (loss)',
    'session: Active',
    'web: withdraw, seen absent (loss): loss 34 %',
    'web: held: all-bad, 7 s left: the others are undecided',
    'web: file-behind',
  ])
    expect(text).toContain(line);
});

test('overrides name author and end, alarms stand last', () => {
  const document = statusOf({
    overrides: [
      {
        subject: { kind: 'announcement', service: 'web', uplink: 'cmi', family: 4 },
        state: 'withdraw',
        author: 'birdc',
        reason: 'carrier asked for it',
        at: '2026-11-30T01:00:00Z',
        expires: null,
      },
    ],
    alarms: [{ code: 'bird-unreachable', text: 'ENOENT', since: '2026-11-30T01:00:00Z' }],
  });
  expect(renderStatus(document, { columns: 200, colour: false }).split('\n').slice(-4)).toEqual([
    'overrides',
    '    cmi service web IPv4: withdraw by birdc, until released: carrier asked for it',
    'alarms',
    '    bird-unreachable: ENOENT (since 2026-11-30T01:00:00Z)',
  ]);
});

test.each([40, 80, 200])('no line is wider than %d columns', (columns) => {
  const lines = renderStatus(uplinkWith(failed), { columns, colour: false }).split('\n');
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
});

test('colour stands only where it is asked for, and changes no text', () => {
  const coloured = renderStatus(uplinkWith(failed), { columns: 80, colour: true });
  const bare = renderStatus(uplinkWith(failed), plain);
  expect(bare).not.toContain('\u001B');
  expect(coloured).toContain('\u001B[31mfailed');
  // oxlint-disable-next-line no-control-regex
  expect(coloured.replaceAll(/\u001B\[\d+m/g, '')).toBe(bare);
});

test('an unreachable BIRD and a stuck tick stand in the first line', () => {
  const document = statusOf({
    tickAgeMillis: 9000,
    bird: { kind: 'unreachable', path: '/run/bird/bird.ctl', code: 'ENOENT', text: 'no such file' },
  });
  expect(renderStatus(document, { columns: 200, colour: false }).split('\n')[0]).toBe(
    'hk1  live  BIRD unreachable (ENOENT at /run/bird/bird.ctl)  prober icmp-socket  TICK STUCK for 9 s',
  );
});

test('a shadow policy says whether it agrees, and how often it did not', () => {
  const shadow = {
    ticks: 900,
    disagreeingTicks: 40,
    disagreements: 2,
    disagreeing: ['cmi_web4'],
    last: null,
  };
  const text = (one: typeof shadow): string => renderStatus(statusOf({ shadow: one }), plain);
  expect(text(shadow)).toContain('disagrees now on cmi_web4; 2 disagreements in 900 ticks');
  expect(text({ ...shadow, disagreeing: [] })).toContain('agrees now; 2 disagreements in 900 ticks');
});
