/**
 * BIRD's `configure` commands, judged by their reply codes. One is in flight at a time, and none is given before
 * `configure status` says 0003: two at once end BIRD 3 by an assertion.
 */
import { BirdError } from '../bird-error.ts';
import { markName } from '../base-mark.ts';
import type { BirdClient } from '../client.ts';
import type { Reply } from '../codec.ts';

export interface ConfigureStatus {
  /** Nothing is being reconfigured (0003). */
  readonly settled: boolean;
  /** Seconds until BIRD undoes the last `configure timeout`; null: none is pending. */
  readonly undoSeconds: number | null;
}

/** Asks once. Throws BirdError. */
export async function configureStatus(client: BirdClient): Promise<ConfigureStatus> {
  const { lines } = await client.command('configure status');
  const pending = lines.find(({ code }) => code === '0022')?.text;
  const seconds = /undo in ([\d.]+) s/.exec(pending ?? '')?.[1];
  return {
    settled: lines[0]?.code === '0003',
    undoSeconds: pending === undefined ? null : Number(seconds ?? 0),
  };
}

const settleLimitMillis = 30_000;

/** Waits until nothing is being reconfigured. Throws BirdError; `ETIMEDOUT` where BIRD does not come to an end. */
export async function settle(client: BirdClient): Promise<ConfigureStatus> {
  const deadline = performance.now() + settleLimitMillis;
  for (;;) {
    const status = await configureStatus(client);
    if (status.settled) return status;
    if (performance.now() > deadline)
      throw new BirdError('ETIMEDOUT', `BIRD is reconfiguring for more than ${settleLimitMillis / 1000} s`);
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
}

/**
 * Loads the configuration file, and waits until that is settled; with `undoSeconds` BIRD undoes it by itself unless it is
 * confirmed. Throws BirdError: `refused` with BIRD's place and words for a file that it does not take (8002).
 */
export async function configure(client: BirdClient, undoSeconds: number | null = null): Promise<void> {
  await settle(client);
  const reply = await client.command(undoSeconds === null ? 'configure' : `configure timeout ${undoSeconds}`);
  accepted(reply);
  await settle(client);
}

/** confirmed: a pending undo was called off; nothing: there was none, since it ran or somebody's `configure` ended it. */
export async function confirm(client: BirdClient): Promise<'confirmed' | 'nothing'> {
  const reply = await client.command('configure confirm');
  if (reply.code === '0018') return 'confirmed';
  if (reply.code === '0019') return 'nothing';
  throw unexpected(reply);
}

/** Back to the configuration before the last `configure`, settled; nothing: BIRD has none to go back to. */
export async function undo(client: BirdClient): Promise<'undone' | 'nothing'> {
  await settle(client);
  const reply = await client.command('configure undo');
  if (reply.code === '0019') return 'nothing';
  accepted(reply);
  await settle(client);
  return 'undone';
}

/** Mark of the base that BIRD runs; null: it runs a text without one. */
export async function runningMark(client: BirdClient): Promise<number | null> {
  try {
    const reply = await client.command(`eval ${markName}`);
    const digits = reply.code === '0023' ? /^\d+$/.exec(reply.lines.at(-1)?.text ?? '')?.[0] : undefined;
    if (digits === undefined) throw unexpected(reply);
    return Number(digits);
  } catch (error) {
    // 9001: the configuration has no such name.
    if (error instanceof BirdError && error.replyCode === '9001') return null;
    throw error;
  }
}

/** 0003 done, 0004 in progress, 0005 queued; 0006 is a BIRD that shuts down. */
function accepted(reply: Reply): void {
  if (!['0003', '0004', '0005'].includes(reply.code)) throw unexpected(reply);
}

function unexpected(reply: Reply): BirdError {
  const text = reply.lines.at(-1)?.text ?? '';
  return new BirdError('bad-reply', `BIRD answered ${reply.code} ${text}, which was not asked for`, {
    reply,
  });
}
