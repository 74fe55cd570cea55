/** What scenarios ask of the node: BIRD's own `show protocols`, and states that only the daemon has, such as alarms. */
import type { StatusDocument } from '../../src/types/wire/status.ts';
import { announceName } from '../../src/types/protocol-names.ts';
import type { Family } from '../../src/types/units.ts';
import { knownEntries } from '../../src/cli/history-text.ts';
import { waitUntil } from '../network/wait.ts';
import { showProtocol } from '../node/bird.ts';
import { isHealthy, waitHealthy } from '../node/lab.ts';
import { causeway, readStatus } from '../node/program.ts';
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

/**
 * `causeway history` tells a withdrawal whole and in order: the verdict with its evidence, the decision with the command
 * that overrules it, the command with BIRD's answer, and what BIRD then showed.
 */
export async function historyTells(stage: Stage, uplink: string, chosen: Family): Promise<void> {
  const printed = await printedHistory(stage, uplink);
  const { entries } = knownEntries(JSON.parse(printed));
  const ids = [
    entries.findLast(
      (one) =>
        one.kind === 'verdict' &&
        one.subject === 'uplink' &&
        one.family === chosen &&
        one.to === 'failed' &&
        (one.evidence?.loss ?? 0) > 0.05,
    ),
    entries.findLast(
      (one) =>
        one.kind === 'decision' &&
        one.family === chosen &&
        one.to === 'withdraw' &&
        one.author === 'causeway' &&
        one.undo === `causeway force announce ${uplink} --service web --family ${chosen}`,
    ),
    entries.findLast(
      (one) =>
        one.kind === 'command' &&
        one.command === 'disable' &&
        one.protocol === announceName(uplink, 'web', chosen) &&
        one.effect === 'done',
    ),
    entries.findLast(
      (one) => one.kind === 'read-back' && one.family === chosen && one.to === 'absent' && one.agrees,
    ),
  ].map((one) => one?.id ?? 0);
  if (ids.includes(0) || ids.some((id, index) => id < (ids[index - 1] ?? 0)))
    throw new Unexpected(
      `the history of ${uplink} IPv${chosen} is not whole (${ids.join(', ')}): ${printed}`,
    );
}

/** A verdict of the uplink, or of a region on it, says where the fault lies. */
export async function faultIsPlaced(stage: Stage, uplink: string, place: RegExp): Promise<void> {
  await waitUntil(
    `a verdict on ${uplink} to say ${place}`,
    async () => {
      const { entries } = knownEntries(JSON.parse(await printedHistory(stage, uplink)));
      return entries.some((one) => one.kind === 'verdict' && place.test(one.text));
    },
    { timeoutMillis: 20_000, everyMillis: 200 },
  );
}

function printedHistory(stage: Stage, uplink: string): Promise<string> {
  return causeway(stage.lab.network, ['history', '--json', '--uplink', uplink, '--limit', '500']);
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
