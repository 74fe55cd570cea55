/** `causeway fleet` as people read it. */
import { expect, test } from 'vitest';
import { renderFleet } from '../../src/cli/fleet-text.ts';
import type { FleetStatus } from '../../src/types/wire/fleet-status.ts';

const announcement = { service: 'web', family: 4, wish: 'announce', health: 'healthy' } as const;
const fleet: FleetStatus = {
  redis: '10.0.0.5:6379',
  link: 'reading',
  text: 'it answers',
  consentInSeconds: 0,
  nodes: [
    {
      node: 'hk1',
      site: 'hkg',
      self: true,
      state: 'heard',
      why: null,
      silentMillis: 0,
      mode: 'live',
      frozen: true,
      announcements: [
        { ...announcement, uplink: 'cmi', carrier: 'cmi', state: 'announces' },
        { ...announcement, uplink: 'pccw', carrier: 'pccw', state: 'failed' },
        { ...announcement, family: 6, uplink: 'cmi', carrier: 'cmi', state: 'drained' },
      ],
    },
    {
      node: 'sg1',
      site: 'sin',
      self: false,
      state: 'unknown',
      why: 'silent for 12 s',
      silentMillis: 12_000,
      mode: null,
      frozen: false,
      announcements: [],
    },
  ],
  groups: [
    { service: 'web', family: 4, consent: 'refused', announcingNodes: 0, text: '0 other nodes announce it' },
  ],
  findings: [{ kind: 'carrier', family: 4, nodes: ['hk1', 'hk2'], text: 'pccw fails in IPv4 on hk1, hk2' }],
};

test('it is a row for each node and service, a column for each carrier, then the findings', () => {
  expect(renderFleet(fleet, { columns: 80, colour: false })).toBe(
    [
      'Redis 10.0.0.5:6379: reading, it answers',
      '',
      'NODE            SITE  SERVICE                   CMI        PCCW',
      'hk1 * (frozen)  hkg   web IPv4                  announces  failed',
      '                      web IPv6                  drained    -',
      'sg1             sin   unknown: silent for 12 s',
      '',
      'web IPv4: no consent, 0 other nodes announce it',
      '',
      '! pccw fails in IPv4 on hk1, hk2',
    ].join('\n'),
  );
});
