/** What scenarios ask of the node: BIRD's own `show protocols`, and states that only the daemon has, such as alarms. */
import type { StatusDocument } from '../../src/types/wire/status.ts';
import { waitUntil } from '../network/wait.ts';
import { showProtocol } from '../node/bird.ts';
import { isHealthy, waitHealthy } from '../node/lab.ts';
import { readStatus } from '../node/program.ts';
import { Unexpected } from './expect.ts';
import type { Stage } from './stage.ts';

/** All is as in quiet times again. */
export async function healthyAgain(stage: Stage, timeoutMillis = 60_000): Promise<void> {
  if (await isHealthy(stage.lab)) return;
  await waitHealthy(stage.lab, timeoutMillis);
}

/** Waits until BIRD's own `show protocols all` says of a protocol what it should. */
export async function protocolShows(
  stage: Stage,
  name: string,
  state: 'up' | 'down',
  reason?: RegExp,
  timeoutMillis = 2000,
): Promise<void> {
  let found = '';
  try {
    await waitUntil(
      `${name} to be ${state}`,
      async () => {
        const shown = await showProtocol(stage.lab.network, name);
        found = JSON.stringify(shown);
        const text = shown.message ?? shown.description ?? '';
        return shown.state === state && (reason === undefined || reason.test(text));
      },
      { timeoutMillis },
    );
  } catch {
    throw new Unexpected(
      `${name} should be ${state}${reason === undefined ? '' : ` with ${reason}`}: ${found}`,
    );
  }
}

/** Waits until the daemon's status says so; for states that only the daemon has, such as alarms. */
export async function statusSays(
  stage: Stage,
  what: string,
  says: (status: StatusDocument) => boolean,
  timeoutMillis = 20_000,
): Promise<StatusDocument> {
  return waitUntil(
    `the status to say: ${what}`,
    async () => {
      const status = await readStatus(stage.lab.network);
      return status !== null && says(status) ? status : null;
    },
    { timeoutMillis, everyMillis: 50 },
  );
}
