/** Services in `causeway status`, and readiness in the log and the history. */
import { expect, test } from 'vitest';
import { pino } from 'pino';
import { renderStatus } from '../../src/cli/status-text.ts';
import { Narrator } from '../../src/daemon/narrator.ts';
import type { HistoryEvent } from '../../src/types/history.ts';
import type { ReadinessFact } from '../../src/types/readiness.ts';
import { instant } from '../../src/types/units.ts';
import type { ServiceStatus } from '../../src/types/wire/status.ts';
import { statusDocument } from '../../src/types/wire/status.ts';
import { statusOf } from './host-node.ts';

const http = { kind: 'http', name: 'http://127.0.0.1:8080/healthz' } as const;
const services: readonly ServiceStatus[] = [
  {
    service: 'web',
    readiness: 'not-ready',
    text: 'http://127.0.0.1:8080/healthz: connection refused',
    sinceSeconds: 42,
    checks: [
      { ...http, readiness: 'not-ready', text: 'status 200', counted: '1 of 2 passes' },
      {
        kind: 'file',
        name: 'file /run/ready',
        readiness: 'ready',
        text: '/run/ready is there',
        counted: null,
      },
    ],
  },
  {
    service: 'mail',
    readiness: 'ready',
    text: 'tcp 127.0.0.1:25: connected',
    sinceSeconds: 7300,
    checks: [{ kind: 'tcp', name: 'tcp 127.0.0.1:25', readiness: 'ready', text: 'connected', counted: null }],
  },
  {
    service: 'dns',
    readiness: 'no-check',
    text: 'it has no check, so it is always ready',
    sinceSeconds: null,
    checks: [],
  },
];

test('a service is one line, and a check that is not well another; a service without a check is none', () => {
  const document = statusDocument.parse(statusOf({ services }));
  const lines = renderStatus(document, { columns: 200, colour: false }).split('\n');
  const at = lines.indexOf('services');
  expect(lines.slice(at, at + 4)).toEqual([
    'services',
    '    web: not-ready for 42 s: http://127.0.0.1:8080/healthz: connection refused',
    '        http://127.0.0.1:8080/healthz: not-ready, 1 of 2 passes: status 200',
    '    mail: ready for 2 h: tcp 127.0.0.1:25: connected',
  ]);
  expect(lines.join('\n')).not.toContain('dns');
});

test('a change of readiness is told once, to the log and to the history', () => {
  const logged: { readonly msg: string; readonly to: string }[] = [];
  const told: HistoryEvent[] = [];
  const narrator = new Narrator(
    pino({}, { write: (line: string) => logged.push(JSON.parse(line)) }),
    (event) => told.push(event),
  );
  const fact = (state: ReadinessFact['state']) =>
    new Map([['web', { state, since: instant(0), text: 'tcp 127.0.0.1:25: connection refused' }]]);
  for (const state of ['unknown', 'ready', 'ready', 'not-ready', 'not-ready', 'ready'] as const)
    narrator.readiness(fact(state));
  expect(logged.map(({ msg, to }) => `${msg}: ${to}`)).toEqual([
    'readiness changed: ready',
    'readiness changed: not-ready',
    'readiness changed: ready',
  ]);
  expect(told).toMatchObject([
    { kind: 'readiness', service: 'web', from: 'unknown', to: 'ready' },
    {
      kind: 'readiness',
      from: 'ready',
      to: 'not-ready',
      reason: 'not-ready',
      text: 'web: tcp 127.0.0.1:25: connection refused',
    },
    { kind: 'readiness', from: 'not-ready', to: 'ready' },
  ]);
});
