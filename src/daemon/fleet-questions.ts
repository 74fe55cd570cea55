/** The questions of a cycle: what is to be asked of the fleet, one after the other, and what came of each. */
import type { Logger } from 'pino';
import type { FleetSession } from '../adapters/fleet-session.ts';
import { RedisError } from '../adapters/redis.ts';
import { type Answer, answered, type Ask, asking, asksOf, type Want } from '../core/fleet/ask.ts';
import type { FleetMemory, FleetRules } from '../core/fleet/memory.ts';
import type { Presence } from '../types/wire/node-to-fleet.ts';
import { monotonicNow } from './clock.ts';

/** More than this in one cycle wait for the next one. */
const mostAsks = 64;

export interface Asker {
  readonly rules: FleetRules;
  /** What this node said last. */
  readonly self: Presence;
  readonly wants: readonly Want[];
  /** The master that was read in this cycle. */
  readonly master: string;
  memory(): FleetMemory;
  remember(memory: FleetMemory): void;
}

export class FleetQuestions {
  readonly #log: Logger;
  readonly #answers = new Map<string, string>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Throws RedisError where Redis is away, or is another one than was read. */
  async ask(session: FleetSession, asker: Asker): Promise<void> {
    const { self, wants, master, rules } = asker;
    const { node, leavers, windowMillis } = rules;
    const asks = asksOf(asker.memory(), wants, self, rules, monotonicNow());
    for (const ask of asks.slice(0, mostAsks)) {
      const sentAt = monotonicNow();
      asker.remember(asking(asker.memory(), ask));
      const answer = await session.ask(ask, { node, epoch: self.epoch, master, leavers, windowMillis });
      asker.remember(answered(asker.memory(), ask, answer, { sentAt, master }));
      this.#tell(ask, answer);
      // Redis has another master than was read: nothing is asked of it before it was read again.
      if (answer.kind === 'anew') throw new RedisError('closed', 'Redis has another master, or was wiped');
    }
  }

  /** A question that is asked in each cycle is told of when its answer is another one. */
  #tell({ group, kind }: Ask, answer: Answer): void {
    const said = `${kind} ${JSON.stringify(answer)}`;
    if (this.#answers.get(group) === said) return;
    this.#answers.set(group, said);
    if (kind === 'leave') this.#log.info({ group, answer }, 'fleet answers');
  }
}
