/**
 * What a node says to its fleet and hears of it, over one connection to Redis. Keys, behind the prefix: `node:<name>` the
 * presence of a node (it expires), `beats` the few words that each said last, `tokens:<group>` and `leaves:<group>`,
 * `orders` the operators' words for all nodes, `generation` what a wipe of the data takes away; channel `events`.
 */
import { randomBytes } from 'node:crypto';
import type { Answer, Ask } from '../core/fleet/ask.ts';
import type { Beat } from '../core/fleet/memory.ts';
import type { FleetConfig } from '../types/fleet-config.ts';
import { presence, type Presence } from '../types/wire/node-to-fleet.ts';
import { type FleetFunction, fleetLibrary, functionName, scriptOf } from './fleet-lua.ts';
import { connectRedis, type RedisCommand, type RedisConnection, RedisError } from './redis.ts';
import { hashIn, masterIn, policyIn, textIn, wordsIn } from './redis-replies.ts';

/** What this node says of itself. */
export interface Publication {
  readonly node: string;
  readonly epoch: number;
  readonly seq: number;
  readonly content: number;
  readonly ageMillis: number;
  /** The presence as JSON. */
  readonly text: string;
  /** Whether others should look at once. */
  readonly ring: boolean;
}

/** An operator's word for all nodes, as it stands in Redis. */
export interface StoredOrder {
  readonly version: number;
  readonly text: string;
}

/** What was read in the step that published. */
export interface Reading {
  /** The epoch that stood under this node's name before; null: none did. */
  readonly epochBefore: number | null;
  /** Process, replication history and data; see core/fleet/link.ts. */
  readonly master: string;
  readonly beats: readonly Beat[];
  readonly orders: ReadonlyMap<string, StoredOrder>;
}

/** Every method rejects with a RedisError. */
export interface FleetSession {
  publish(publication: Publication): Promise<Reading>;
  /** Of these nodes; one that is not there, or that is none of this version, is left out. */
  presences(nodes: readonly string[]): Promise<readonly Presence[]>;
  ask(ask: Ask, speaker: Speaker): Promise<Answer>;
  order(name: string, order: StoredOrder): Promise<void>;
  /** Takes nodes that are gone for good off the list. */
  forget(nodes: readonly string[]): Promise<void>;
  end(): void;
}

/** Who asks, and of which master. */
export interface Speaker {
  readonly node: string;
  readonly epoch: number;
  readonly master: string;
  readonly leavers: number;
  readonly windowMillis: number;
}

/** A presence that is larger is none of ours. */
const largestPresence = 1_048_576;
const presencesAtOnce = 50;

/** Rejects with a RedisError; at once when `stop` is aborted meanwhile. */
export async function openFleetSession(
  config: FleetConfig,
  node: string,
  stop?: AbortSignal,
): Promise<FleetSession> {
  const connection = await connectRedis(config, `causeway-${node}`, stop);
  try {
    return await sessionOf(connection, config);
  } catch (error) {
    connection.end();
    throw error;
  }
}

async function sessionOf(connection: RedisConnection, config: FleetConfig): Promise<FleetSession> {
  const key = (name: string): string => `${config.prefix}:${name}`;
  const process = masterIn(await connection.call(['INFO', 'everything']).then(textIn));
  const policy = policyIn(await connection.call(['INFO', 'memory']).then(textIn));
  if (policy.startsWith('allkeys'))
    throw new RedisError('full', `maxmemory-policy ${policy} throws tokens away: noeviction is needed`);
  const run = callerOf(connection);
  return {
    publish: (publication) => publish(connection, config, key, process, publication),
    async presences(nodes) {
      const found: Presence[] = [];
      for (let at = 0; at < nodes.length; at += presencesAtOnce) {
        const names = nodes.slice(at, at + presencesAtOnce);
        const reply = await connection.call(['MGET', ...names.map((name) => key(`node:${name}`))]);
        found.push(...wordsIn(reply).flatMap((text) => presenceIn(text)));
      }
      return found;
    },
    async ask(ask, speaker) {
      const keys = [`tokens:${ask.group}`, `leaves:${ask.group}`, 'beats', 'generation'].map(key);
      return answerIn(await run('token', keys, askWords(ask, speaker)));
    },
    async order(name, { version, text }) {
      await run('order', [key('orders')], [name, String(version), text]);
    },
    async forget(nodes) {
      if (nodes.length > 0) await connection.call(['HDEL', key('beats'), ...nodes]);
    },
    end: () => connection.end(),
  };
}

async function publish(
  connection: RedisConnection,
  config: FleetConfig,
  key: (name: string) => string,
  process: string,
  { node, epoch, seq, content, ageMillis, text, ring }: Publication,
): Promise<Reading> {
  const beat = `${epoch} ${seq} ${content} ${Math.round(ageMillis)}`;
  const commands: RedisCommand[] = [
    ['HGET', key('beats'), node],
    ['SET', key(`node:${node}`), text, 'PX', Math.round(config.expireMillis)],
    ['HSET', key('beats'), node, beat],
    ['HGETALL', key('beats')],
    ['GET', key('generation')],
    ['HGETALL', key('orders')],
    ...(ring ? [['PUBLISH', key('events'), text] as const] : []),
  ];
  const [before, , , beats, generation, orders] = await connection.together(commands);
  const made = generation ?? (await makeGeneration(connection, key('generation')));
  return {
    epochBefore: typeof before === 'string' ? (beatIn(node, before)[0]?.epoch ?? null) : null,
    master: `${process}/${textIn(made)}`,
    beats: [...hashIn(beats)].flatMap(([name, words]) => beatIn(name, words)),
    orders: new Map([...hashIn(orders)].flatMap(([name, words]) => orderIn(name, words))),
  };
}

/** The first node that finds none makes one; the others take it. */
async function makeGeneration(connection: RedisConnection, key: string): Promise<unknown> {
  await connection.call(['SET', key, randomBytes(8).toString('hex'), 'NX']);
  return connection.call(['GET', key]);
}

function beatIn(node: string, text: string): readonly Beat[] {
  const match = /^(\d{1,16}) (\d{1,16}) (\d{1,16}) (\d{1,16})$/.exec(text);
  if (match === null) return [];
  const [epoch = 0, seq = 0, content = 0, ageMillis = 0] = match.slice(1).map(Number);
  return [{ node, epoch, seq, content, ageMillis }];
}

function orderIn(name: string, text: string): readonly (readonly [string, StoredOrder])[] {
  const match = /^(\d{1,16}) (.*)$/s.exec(text);
  if (match === null) return [];
  return [[name, { version: Number(match[1]), text: match[2] ?? '' }]];
}

function presenceIn(text: string | null): readonly Presence[] {
  if (text === null || text.length > largestPresence) return [];
  try {
    const parsed = presence.safeParse(JSON.parse(text));
    return parsed.success ? [parsed.data] : [];
  } catch {
    // Cut off, or somebody else's: that node stays unread.
    return [];
  }
}

function askWords(ask: Ask, speaker: Speaker): readonly string[] {
  const head = [ask.kind, speaker.node, String(speaker.epoch), speaker.master];
  if (ask.kind !== 'leave') return head;
  const { need, needInSite, strong, witnesses } = ask;
  const rules = [need, needInSite, speaker.leavers, speaker.windowMillis, strong ? 1 : 0];
  const named = witnesses.flatMap((one) => [one.node, one.epoch, one.content, one.inSite ? 1 : 0]);
  return [...head, ...rules.map(String), ...named.map(String)];
}

function answerIn(reply: unknown): Answer {
  const [kind, first, second] = wordsIn(reply);
  const number = (word: string | null | undefined): number => Number(word ?? 0);
  switch (kind) {
    case 'given':
    case 'released':
    case 'anew':
    case 'fenced':
      return { kind };
    case 'few':
      return { kind, count: number(first), need: number(second) };
    case 'window':
    case 'evidence':
      return { kind, recent: number(first) };
    default:
      throw new RedisError('bad-reply', `the token function answers ${JSON.stringify(kind ?? null)}`);
  }
}

/** Calls the function; where it is not there it is loaded, and where Redis knows none the same text is sent. */
function callerOf(connection: RedisConnection) {
  let byScript = false;
  return async (one: FleetFunction, keys: readonly string[], words: readonly string[]): Promise<unknown> => {
    const rest = [keys.length, ...keys, ...words] as const;
    const script = (): Promise<unknown> => connection.call(['EVAL', scriptOf(one), ...rest]);
    const call = (): Promise<unknown> => connection.call(['FCALL', functionName(one), ...rest]);
    if (byScript) return script();
    try {
      return await call();
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    try {
      await connection.call(['FUNCTION', 'LOAD', fleetLibrary]);
    } catch (error) {
      // Somebody else was faster, or this Redis or its ACL has no functions.
      if (!/already exists/.test(String(error))) {
        byScript = true;
        return script();
      }
    }
    return call();
  };
}

function isMissing(error: unknown): boolean {
  return /Function not found|unknown command|NOPERM/i.test(error instanceof Error ? error.message : '');
}
