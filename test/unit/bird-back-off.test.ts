/** When a client that could not connect tries again. */
import { expect, test } from 'vitest';
import { BackOff } from '../../bird/client/back-off.ts';
import { BirdError, openClient } from '../../bird/client.ts';

const away = new BirdError('ENOENT', '/run/bird/bird.ctl: cannot connect to BIRD (ENOENT)');

function clocked(): { backOff: BackOff; wait: (millis: number) => void } {
  let now = 0;
  return {
    backOff: new BackOff(() => now),
    wait: (millis) => {
      now += millis;
    },
  };
}

test('one failure delays nothing, and the waits then double up to 400 ms', () => {
  const { backOff, wait } = clocked();
  const waits = [0, 50, 100, 200, 400, 400, 400];
  for (const millis of waits) {
    backOff.failed(away);
    if (millis > 0) {
      wait(millis - 1);
      expect(() => backOff.check()).toThrow(BirdError);
      wait(1);
    }
    expect(() => backOff.check()).not.toThrow();
  }
});

test('the failure that is told meanwhile is the last one, word for word, so that nothing seems to change', () => {
  const { backOff } = clocked();
  backOff.failed(away);
  backOff.failed(away);
  expect(() => backOff.check()).toThrow(expect.objectContaining({ code: 'ENOENT', message: away.message }));
});

test('a connection that stood forgets the failures before it', () => {
  const { backOff } = clocked();
  backOff.failed(away);
  backOff.failed(away);
  backOff.succeeded();
  expect(() => backOff.check()).not.toThrow();
  backOff.failed(away);
  expect(() => backOff.check()).not.toThrow();
});

test('a client asks for a missing socket far less often than it is asked itself', async () => {
  const client = openClient({ path: '/nonexistent/bird.ctl', timeoutMillis: 5000 });
  const errors = await Promise.all(
    Array.from({ length: 200 }, () => client.command('show status').catch((error: unknown) => error)),
  );
  client.close();
  for (const error of errors) expect(error).toMatchObject({ code: 'ENOENT' });
  const repeated = errors.filter((error) => error instanceof BirdError && error.cause instanceof BirdError);
  expect(repeated.length).toBeGreaterThan(100);
});
