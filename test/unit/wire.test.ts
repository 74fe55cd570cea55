/** The examples of DESIGN §9 are valid; unknown fields are ignored and unknown versions refused. */
import { describe, expect, test } from 'vitest';
import { compareOrder } from '../../src/types/wire/common.ts';
import { edgeSnapshot } from '../../src/types/wire/node-to-edge.ts';
import { presence } from '../../src/types/wire/node-to-fleet.ts';
import { uplinkState } from '../../src/types/wire/node-to-geodns.ts';

const examples = [
  {
    name: 'node to GeoDNS',
    schema: uplinkState,
    message: {
      schema: 1,
      carrier: 'cmi',
      families: {
        '4': { state: 'up', regions: { ID: 'down' }, services: { web: 'up' } },
        '6': { state: 'up', services: { web: 'up' } },
      },
      held: null,
      epoch: 1796000000000,
      seq: 42,
      reason: 'loss 34 % on 3 of 4 targets in ID',
      evidence: { loss: 0.34, rttP95Millis: 88, targets: 4 },
      at: '2026-11-30T01:00:00Z',
    },
  },
  {
    name: 'node to edge',
    schema: edgeSnapshot,
    message: {
      schema: 1,
      epoch: 1796000000000,
      seq: 42,
      generatedAt: '2026-11-30T01:00:00Z',
      ttlMillis: 15000,
      self: 'hk1',
      nodesActive: 2,
      nodes: {
        hk1: {
          host: 'hk1.edge.example.com',
          accepting: true,
          weight: 100,
          uplinks: {
            cmi: { carrier: 'cmi', score: 97, families: { '4': { up: true, regions: { ID: true } } } },
          },
        },
      },
      origins: { app: [{ address: '192.0.2.10', port: 443, weight: 1, up: true }] },
      networks: '2026-11-01',
    },
  },
  {
    name: 'node to fleet',
    schema: presence,
    message: {
      schema: 1,
      node: 'hk1',
      site: 'hkg',
      epoch: 1796000000000,
      seq: 42,
      ageMillis: 120,
      mode: 'live',
      frozen: false,
      announcements: [
        {
          service: 'web',
          uplink: 'cmi',
          carrier: 'cmi',
          family: 4,
          wish: 'announce',
          seen: 'exported',
          ready: true,
          health: 'healthy',
          held: null,
          reason: 'healthy',
        },
      ],
      targets: [{ address: '198.51.100.10', uplink: 'cmi', carrier: 'cmi', family: 4, health: 'healthy' }],
    },
  },
];

describe.each(examples)('$name', ({ schema, message }) => {
  test('takes the example of the design', () => {
    expect(schema.parse(message)).toEqual(message);
  });
  test('ignores an unknown field', () => {
    expect(schema.parse({ ...message, later: 1 })).toEqual(message);
  });
  test.each([2, 0, '1', null, undefined])('refuses version %s', (version) => {
    expect(schema.safeParse({ ...message, schema: version }).success).toBe(false);
  });
  test('refuses a message cut short', () => {
    const { seq: _seq, ...cut } = message;
    expect(schema.safeParse(cut).success).toBe(false);
  });
});

test('an older epoch is older whatever its seq', () => {
  expect(compareOrder({ epoch: 1, seq: 99 }, { epoch: 2, seq: 1 })).toBeLessThan(0);
  expect(compareOrder({ epoch: 2, seq: 1 }, { epoch: 2, seq: 2 })).toBeLessThan(0);
  expect(compareOrder({ epoch: 2, seq: 2 }, { epoch: 2, seq: 2 })).toBe(0);
});
