/** Reads what BIRD really does. Nothing is made up from part of a reply: the view is whole or `unreachable`. */
import { type BirdSeen, type BirdView, isSameMoment } from '../src/types/bird-view.ts';
import type { Instant } from '../src/types/units.ts';
import { BirdError } from './bird-error.ts';
import type { BirdClient } from './client.ts';
import type { Reply } from './codec.ts';
import { parseProtocols } from './parse/protocols.ts';
import { parseStatus, type Status } from './parse/status.ts';

const attempts = 3;

/**
 * BIRD's state by `show status` and `show protocols all`. The status is asked before and after, and all is read again if
 * BIRD was reconfigured or restarted in between, because the protocols would then belong to neither. `path` is for people.
 * `readAt` is the time before the first command: the state is not older.
 */
export async function readBird(client: BirdClient, path: string, now: () => Instant): Promise<BirdView> {
  const readAt = now();
  try {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const before = status(await client.command('show status'));
      const reply = await client.command('show protocols all');
      const after = status(await client.command('show status'));
      if (sameRun(before, after)) return seen(readAt, after, reply);
    }
    throw new BirdError('bad-reply', `BIRD was reconfigured during each of ${attempts} attempts to read it`);
  } catch (error) {
    if (!(error instanceof BirdError)) throw error;
    return { kind: 'unreachable', readAt, path, code: error.code, text: error.message };
  }
}

function seen(readAt: Instant, now: Status, reply: Reply): BirdSeen {
  const protocols = parseProtocols(reply, now.server);
  if (protocols === null) throw new BirdError('bad-reply', describe('show protocols all', reply));
  return {
    kind: 'seen',
    readAt,
    version: now.version,
    serverMillis: now.server?.millis ?? null,
    bootMillis: now.boot?.millis ?? null,
    configuredMillis: now.configured?.millis ?? null,
    running: now.running,
    protocols,
  };
}

function status(reply: Reply): Status {
  const parsed = parseStatus(reply);
  if (parsed === null) throw new BirdError('bad-reply', describe('show status', reply));
  return parsed;
}

function describe(command: string, reply: Reply): string {
  const first = JSON.stringify(reply.lines[0]?.text.slice(0, 80) ?? '');
  return `BIRD's reply to ${command} is not understood (${reply.lines.length} lines, first ${first}, last code ${reply.code})`;
}

function sameRun(a: Status, b: Status): boolean {
  return (
    a.version === b.version &&
    isSameMoment(a.boot?.millis, b.boot?.millis) &&
    isSameMoment(a.configured?.millis, b.configured?.millis)
  );
}
