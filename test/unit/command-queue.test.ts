/** Commands wait for the time between two ticks; those that cannot wait are refused, never lost. */
import { expect, test } from 'vitest';
import { NotTaken, openCommandQueue } from '../../src/daemon/command-queue.ts';

test('more at once than an operator gives are refused, and the rest is carried out in its order', async () => {
  const queue = openCommandQueue();
  const done: number[] = [];
  const waiting = Array.from({ length: 64 }, (_, at) =>
    queue.run(() => {
      done.push(at);
      return Promise.resolve(at);
    }),
  );
  await expect(queue.run(() => Promise.resolve())).rejects.toThrow(NotTaken);
  await queue.attend();
  expect(await Promise.all(waiting)).toEqual(done);
  expect(done).toEqual(Array.from({ length: 64 }, (_, at) => at));
});

test('the daemon’s end refuses what waits and what comes', async () => {
  const queue = openCommandQueue();
  const waiting = queue.run(() => Promise.resolve());
  queue.close('the daemon stops');
  await expect(waiting).rejects.toThrow(new NotTaken('the daemon stops'));
  await expect(queue.run(() => Promise.resolve())).rejects.toThrow(NotTaken);
});
