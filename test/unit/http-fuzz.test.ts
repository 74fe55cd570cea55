/** Hostile clients, some hundreds of them: the server answers rightly or hangs up, and is well afterwards. */
import { test as property } from '@fast-check/vitest';
import { array } from 'fast-check';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { attack, faultIn, hostile } from '../support/hostile.ts';
import { ask, type HttpWorld, openHttpWorld } from '../support/http-world.ts';

let world: HttpWorld;
beforeAll(async () => {
  world = await openHttpWorld();
});
afterAll(() => world.close());

describe('whatever clients send', () => {
  property.prop([array(hostile, { minLength: 8, maxLength: 16 })], { numRuns: 10, endOnFailure: true })(
    'they are answered with what is right, and others are served meanwhile',
    async (clients) => {
      const attacks = clients.map(async (client) => ({
        client,
        fault: faultIn(await attack(world.port, client)),
      }));
      expect((await ask(world.port, { path: '/healthz' })).status).toBe(200);
      const faults = (await Promise.all(attacks)).filter(({ fault }) => fault !== null);
      expect(
        faults.map(
          ({ client, fault }) => `${client.name}: ${fault}: ${client.pieces.join('').slice(0, 300)}`,
        ),
      ).toEqual([]);
      await vi.waitFor(() => expect(world.history.followers()).toBe(0), { timeout: 30_000 });
    },
  );
});
