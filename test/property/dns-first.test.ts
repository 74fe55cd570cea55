/** In any world: what waits for GeoDNS is a planned drain of something good, and it never waits past its deadline. */
import { describe, expect } from 'vitest';
import { test } from '../support/property.ts';
import { playWorld, worlds } from '../support/random-world.ts';

const options = { numRuns: process.env['CAUSEWAY_TEST_FULL'] === '1' ? 67_000 : 150 };

describe('a planned drain that waits for GeoDNS', () => {
  test.prop([worlds], options)('is all that ever waits for it', (world) => {
    playWorld(world, ({ input, before, decision }) => {
      for (const { uplink, service, family, state, author, held } of decision.wish.announcements) {
        if (held?.guard !== 'dns-first') continue;
        const key = `${uplink}_${service}${family}`;
        const verdict = input.health.find(
          (one) => one.uplink === uplink && one.family === family,
        )?.uplinkVerdict;
        expect(world.dnsFirst).toBe(true);
        expect(state).toBe('announce');
        expect(before.wished[key]?.state ?? before.standing[key]?.state ?? 'announce').toBe('announce');
        expect(['ops', 'maintenance']).toContain(author);
        expect(world.tie ? 'healthy' : verdict?.health).not.toMatch(/failed|degraded/);
        expect(input.sessions.get(`${uplink}${family}`)).not.toBe('down');
        const since = before.planned[key] ?? input.now;
        expect(held.until).toBeGreaterThan(input.now);
        expect(held.until).toBeLessThanOrEqual(since + (input.dnsFirst?.deadlineMillis ?? 0));
        expect(decision.memory.planned[key]).toBe(since);
      }
    });
  });
});
