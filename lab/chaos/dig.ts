/** Asks the sites by `dig`, from the management network: a witness that shares no code with the product. */
import { tryRun } from '../network/command.ts';
import { inside } from '../network/inside.ts';
import { databaseAddress } from '../fleet/layout.ts';
import type { FleetNetwork } from '../fleet/network.ts';
import type { DatabaseRoom } from '../network/names.ts';

export interface Asked {
  readonly site: DatabaseRoom;
  readonly name: string;
  readonly type: 'A' | 'AAAA';
  /** Client subnet; null: none is sent. */
  readonly subnet: string | null;
}

/** For each question its addresses, or `silent` where no reply came within a second (two tries). */
export async function digAll(
  network: FleetNetwork,
  questions: readonly Asked[],
): Promise<readonly ('silent' | readonly string[])[]> {
  const args = questions.flatMap(({ site, name, type, subnet }) => [
    `@${databaseAddress(site)}`,
    name,
    type,
    ...(subnet === null ? [] : [`+subnet=${subnet}`]),
    '+norecurse',
    '+tries=2',
    '+time=1',
    '+noall',
    '+comments',
    '+answer',
  ]);
  const { stdout } = await tryRun('ip', inside(network.namespace('mgmt'), ['dig', ...args]), {
    timeoutMillis: 5000 + questions.length * 2500,
  });
  return readDig(stdout, questions.length);
}

/** What `dig` prints for several questions, in their order. Pure. */
export function readDig(text: string, count: number): readonly ('silent' | readonly string[])[] {
  const found: ('silent' | string[])[] = [];
  for (const line of text.split('\n')) {
    if (/^;; no servers could be reached|^;; communications error.*(timed out|refused)$/.test(line)) {
      // An error of one try is told before the last word of the question.
      if (line.startsWith(';; no servers')) found.push('silent');
    } else if (line.startsWith(';; ->>HEADER<<-')) {
      found.push([]);
    } else {
      const address = /^\S+\s+\d+\s+IN\s+(?:A|AAAA)\s+(\S+)$/.exec(line)?.[1];
      const last = found.at(-1);
      if (address !== undefined && last !== undefined && last !== 'silent') last.push(address);
    }
  }
  // What dig was not given the time to ask has no reply.
  while (found.length < count) found.push('silent');
  return found.slice(0, count);
}
