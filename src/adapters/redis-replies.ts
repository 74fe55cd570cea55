/** Replies of Redis, taken apart. What is not of the expected form is a RedisError, never an empty answer. */
import { RedisError } from './redis.ts';

export function textIn(reply: unknown): string {
  if (typeof reply === 'string') return reply;
  throw new RedisError('bad-reply', 'Redis answers something other than text');
}

/** A hash as HGETALL gives it: an object of the client, or names and values in turn. */
export function hashIn(reply: unknown): ReadonlyMap<string, string> {
  if (Array.isArray(reply)) {
    const words = wordsIn(reply);
    const pairs = words.flatMap((name, at) =>
      at % 2 === 0 && name !== null ? [[name, words[at + 1] ?? ''] as const] : [],
    );
    return new Map(pairs);
  }
  if (typeof reply !== 'object' || reply === null) throw new RedisError('bad-reply', 'Redis answers no hash');
  return new Map(Object.entries(reply).map(([name, value]) => [name, String(value)]));
}

/** A list of texts; null where Redis has nothing. */
export function wordsIn(reply: unknown): readonly (string | null)[] {
  if (!Array.isArray(reply)) throw new RedisError('bad-reply', 'Redis answers no list');
  return reply.map((one: unknown) => {
    if (typeof one === 'string' || one === null) return one;
    if (typeof one === 'number') return String(one);
    throw new RedisError('bad-reply', 'Redis answers a list of something other than text');
  });
}

/** `run_id/master_replid` of INFO. Throws where this is no master. */
export function masterIn(info: string): string {
  const field = (name: string): string | null =>
    new RegExp(`^${name}:(.+?)\\r?$`, 'm').exec(info)?.[1] ?? null;
  if (field('loading') === '1') throw new RedisError('loading', 'Redis is loading its data');
  const role = field('role');
  if (role !== 'master')
    throw new RedisError('read-only', `this Redis is no master (role ${role ?? 'unknown'})`);
  const [run, history] = [field('run_id'), field('master_replid')];
  if (run === null || history === null)
    throw new RedisError('bad-reply', 'INFO has no run_id or master_replid');
  return `${run}/${history}`;
}

/** `maxmemory_policy` of INFO; empty where it has none. */
export function policyIn(info: string): string {
  return /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? '';
}
