/**
 * One connection to Redis, or to the master that Sentinels name. The only file that speaks with ioredis. A connection that
 * has failed is thrown away, never mended: nothing is queued while it is away, nothing is sent again, and passwords and
 * authorities are read from their files at each new one.
 */
import { readFile } from 'node:fs/promises';
import { Redis, type RedisOptions } from 'ioredis';
import type { FleetConfig } from '../types/fleet-config.ts';

export type RedisTrouble =
  | 'unreachable'
  | 'timeout'
  | 'login'
  | 'tls'
  | 'secret-file'
  | 'no-master'
  | 'read-only'
  | 'full'
  | 'loading'
  | 'stale'
  | 'closed'
  | 'bad-reply';

/** `code` says what kind of trouble; the message is for people. */
export class RedisError extends Error {
  readonly code: RedisTrouble;
  constructor(code: RedisTrouble, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'RedisError';
    this.code = code;
  }
}

export type RedisSettings = Pick<FleetConfig, 'way' | 'user' | 'passwordFile' | 'tls'>;
export type RedisCommand = readonly [name: string, ...words: (string | number)[]];

export interface RedisConnection {
  /** Rejects with a RedisError. */
  call(command: RedisCommand): Promise<unknown>;
  /** All of them in one step that nothing comes between (MULTI); one reply for each. */
  together(commands: readonly RedisCommand[]): Promise<readonly unknown[]>;
  /** Hears a channel from now on; only `ping` is possible besides. */
  subscribe(channel: string, onMessage: () => void): Promise<void>;
  /** At once, whatever is under way. */
  end(): void;
  readonly ended: boolean;
}

/** No answer for longer than this is none. */
export const redisTimeoutMillis = 1000;

/** Rejects with a RedisError; at once when `stop` is aborted meanwhile. */
export async function connectRedis(
  settings: RedisSettings,
  name: string,
  stop?: AbortSignal,
): Promise<RedisConnection> {
  const options = await optionsOf(settings, name);
  const client = new Redis(options);
  let last: Error | null = null;
  client.on('error', (error: Error) => (last = error));
  const giveUp = (): void => client.disconnect();
  stop?.addEventListener('abort', giveUp, { once: true });
  try {
    if (stop?.aborted === true) throw new RedisError('closed', 'it is not needed any more');
    await within(client.connect(), 2 * redisTimeoutMillis);
    // Password, loading and a hung process show themselves at the first command only.
    await within(client.ping(), redisTimeoutMillis);
  } catch (error) {
    client.disconnect();
    throw troubleOf(isClosedWord(error) ? (last ?? error) : error);
  } finally {
    stop?.removeEventListener('abort', giveUp);
  }
  return connectionOf(client);
}

function connectionOf(client: Redis): RedisConnection {
  let ended = false;
  const guarded = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await within(answer, redisTimeoutMillis);
    } catch (error) {
      throw troubleOf(error);
    }
  };
  client.on('end', () => (ended = true));
  return {
    call: ([name, ...words]) => guarded(client.call(name, words)),
    async together(commands) {
      const rows = commands.map(([name, ...words]) => [name.toLowerCase(), ...words]);
      const results = await guarded(client.multi(rows).exec());
      if (results === null) throw new RedisError('bad-reply', 'Redis gave up a transaction');
      return results.map(([error, reply]) => {
        if (error !== null) throw troubleOf(error);
        return reply;
      });
    },
    async subscribe(channel, onMessage) {
      client.on('message', onMessage);
      await guarded(client.subscribe(channel));
    },
    end() {
      ended = true;
      client.disconnect();
    },
    get ended() {
      return ended;
    },
  };
}

/** Without the key that changes the types of replies. */
type PlainOptions = Omit<RedisOptions, 'replyMapping'>;

async function optionsOf(settings: RedisSettings, name: string): Promise<PlainOptions> {
  const { way, user, passwordFile } = settings;
  const tls = await tlsOf(settings);
  const password = passwordFile === null ? null : await secretOf(passwordFile);
  const base: PlainOptions = {
    lazyConnect: true,
    // RESP2 is known to every version of Redis.
    protocol: 2,
    connectionName: name,
    connectTimeout: redisTimeoutMillis,
    disconnectTimeout: 200,
    commandTimeout: redisTimeoutMillis,
    enableOfflineQueue: false,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    retryStrategy: () => null,
    ...(user === null ? {} : { username: user }),
    ...(password === null ? {} : { password }),
  };
  if (way.kind === 'single') {
    return { ...base, host: way.host, port: way.port, db: way.db, ...(tls === null ? {} : { tls }) };
  }
  const sentinelPassword = way.passwordFile === null ? null : await secretOf(way.passwordFile);
  return {
    ...base,
    name: way.master,
    sentinels: way.nodes.map(({ host, port }) => ({ host, port })),
    sentinelCommandTimeout: redisTimeoutMillis,
    sentinelRetryStrategy: () => null,
    updateSentinels: false,
    ...(sentinelPassword === null ? {} : { sentinelPassword }),
    ...(tls === null ? {} : { tls, sentinelTLS: tls, enableTLSForSentinelMode: true }),
  };
}

async function tlsOf({ tls }: RedisSettings): Promise<{ readonly ca?: string } | null> {
  if (tls === null) return null;
  return tls.caFile === null ? {} : { ca: await readSecret(tls.caFile) };
}

async function secretOf(path: string): Promise<string> {
  return (await readSecret(path)).trim();
}

async function readSecret(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new RedisError('secret-file', `${path} cannot be read`, error);
  }
}

/** Settles by then, whatever the client does; a later answer goes nowhere. */
function within<T>(answer: Promise<T>, limitMillis: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new RedisError('timeout', `no answer within ${limitMillis} ms`)),
      limitMillis,
    );
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

const troubles: readonly (readonly [pattern: RegExp, code: RedisTrouble])[] = [
  [/timed? ?out/i, 'timeout'],
  [/^(NOAUTH|WRONGPASS|NOPERM)|invalid (username-)?password/i, 'login'],
  [/^READONLY/, 'read-only'],
  [/^(OOM|MISCONF|NOREPLICAS)/, 'full'],
  [/^LOADING/, 'loading'],
  [/^MASTERDOWN/, 'stale'],
  [/sentinel/i, 'no-master'],
  [/certificate|self[- ]signed|SSL|TLS|wrong version number/i, 'tls'],
  [/Connection is closed|Stream isn't writeable/i, 'closed'],
  [/ECONN|EHOST|ENET|ENOTFOUND|EAI_AGAIN|EPIPE/, 'unreachable'],
];

/** Any error of the client in our words. What Redis said of single commands of a transaction counts more. */
function troubleOf(error: unknown): RedisError {
  if (error instanceof RedisError) return error;
  const inner = innerErrors(error).find((one) => troubles.some(([pattern]) => pattern.test(one.message)));
  const text = (inner ?? (error instanceof Error ? error : new Error(String(error)))).message;
  const code = troubles.find(([pattern]) => pattern.test(text))?.[1] ?? 'bad-reply';
  return new RedisError(code, text.slice(0, 200), error);
}

function innerErrors(error: unknown): readonly Error[] {
  if (typeof error !== 'object' || error === null || !('previousErrors' in error)) return [];
  const { previousErrors } = error;
  return Array.isArray(previousErrors)
    ? previousErrors.filter((one): one is Error => one instanceof Error)
    : [];
}

function isClosedWord(error: unknown): boolean {
  return error instanceof Error && /Connection is closed|Stream isn't writeable/i.test(error.message);
}
