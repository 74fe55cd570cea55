/** fping's word beside the prober's. */
import { expect, test } from 'vitest';
import { findingOf, parseFping } from '../../src/cli/doctor-compare.ts';
import type { Target } from '../../src/types/config.ts';
import type { TargetStatus } from '../../src/types/wire/status.ts';

const output = `192.0.2.1   : xmt/rcv/%loss = 20/20/0%, min/avg/max = 39.1/40.2/44.0
2001:db8::1 : xmt/rcv/%loss = 20/15/25%, min/avg/max = 1.02/1.10/1.20
192.0.2.9   : xmt/rcv/%loss = 20/0/100%
ICMP Host Unreachable from 10.0.0.1 for ICMP Echo sent to 192.0.2.9
`;

const target = (name: string, address: string): Target => ({
  name,
  region: 'ID',
  family: 4,
  address,
  ping: true,
  tcpPort: null,
});
const status = (name: string, address: string, loss: number, rtt: number | null): TargetStatus => ({
  name,
  address,
  region: 'ID',
  health: 'healthy',
  loss,
  rttP50Millis: rtt,
  rttP95Millis: rtt,
  notRun: null,
});
const targets = [target('jkt-1', '192.0.2.1'), target('jkt-2', '192.0.2.9')];

test('its summary is read line by line, and what is none is passed over', () => {
  expect([...parseFping(output)]).toEqual([
    ['192.0.2.1', { sent: 20, received: 20, rttMillis: 40.2 }],
    ['2001:db8::1', { sent: 20, received: 15, rttMillis: 1.1 }],
    ['192.0.2.9', { sent: 20, received: 0, rttMillis: null }],
  ]);
});

test('the same figures are ok, and stand side by side', () => {
  const shown = [status('jkt-1', '192.0.2.1', 0, 41), status('jkt-2', '192.0.2.9', 0.98, null)];
  expect(findingOf(targets, parseFping(output), shown)).toEqual({
    kind: 'ok',
    text: 'jkt-1 loss 0 %, 41 ms (fping loss 0 %, 40.2 ms); jkt-2 loss 98 % (fping loss 100 %)',
  });
});

test.each([
  { name: 'loss', shown: [status('jkt-1', '192.0.2.1', 0.4, 41)] },
  { name: 'round trips', shown: [status('jkt-1', '192.0.2.1', 0, 81)] },
])('$name that differ are a warning that names the target', ({ shown }) => {
  const finding = findingOf(targets, parseFping(output), shown);
  expect(finding).toMatchObject({
    code: 'fping-differs',
    what: expect.stringContaining('they differ on jkt-1: '),
  });
});

test('without fping there is nothing to compare with', () => {
  expect(findingOf(targets, parseFping('fping: command not found'), [])).toMatchObject({ kind: 'skipped' });
});
