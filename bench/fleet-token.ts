/**
 * The round trip of a token on a local Redis, beside a bare PING and a bare EVAL on a connection of the same kind. All
 * take turns in one run, and another one is first each time.
 */
import { spawn } from 'node:child_process';
import { freePorts, stop } from '../edge/lab/process.ts';
import { openFleetSession, type Speaker } from '../src/adapters/fleet-session.ts';
import { connectRedis, type RedisConnection } from '../src/adapters/redis.ts';
import type { Ask } from '../src/core/fleet/ask.ts';
import type { FleetConfig } from '../src/types/fleet-config.ts';
import { roomyFleetAt } from './fleet-config.ts';
import { numberOption } from './number-option.ts';
import { report } from './report.ts';

export const help = `fleet-token [--rounds N] [--write FILE.md] [--json]
  round trip of a consent token on a local Redis (asked for, renewed, given back), beside a bare PING and EVAL`;

/** Issue 6, "Numbers". */
const limitP99Millis = 2;
const nodes = 20;

interface Way {
  readonly name: string;
  readonly go: () => Promise<unknown>;
}

export async function run(args: readonly string[]): Promise<number> {
  const rounds = numberOption(args, 'rounds', 3000);
  const [port = 0] = await freePorts(1);
  const config = roomyFleetAt(port);
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const redis = spawn('redis-server', options, { stdio: 'ignore' });
  const bare = await connected(config);
  const session = await openFleetSession(config, 'hk1');
  try {
    const speaker = await publishAll(session);
    const ask = leaveAsk();
    const token = async (): Promise<void> => {
      const answer = await session.ask(ask, speaker);
      if (answer.kind !== 'given') throw new Error(`refused: ${JSON.stringify(answer)}`);
    };
    const release = (): Promise<unknown> => session.ask({ kind: 'release', group: ask.group }, speaker);
    await token();
    const ways: readonly Way[] = [
      { name: 'PING', go: () => bare.call(['PING']) },
      {
        name: 'EVAL',
        go: () => bare.call(['EVAL', 'return redis.call("HGET", KEYS[1], ARGV[1])', 1, 'h', 'f']),
      },
      { name: 'token renewed', go: token },
      { name: 'token given back', go: release },
      { name: 'token asked for', go: token },
    ];
    const times = await takeTurns(ways, rounds);
    const results = ways.map(({ name }) => ({ name, ...figures(times.get(name) ?? []) }));
    const passed = results.every(({ p99Millis }) => p99Millis <= limitP99Millis);
    report(args, {
      name: 'fleet-token',
      text: textOf(rounds, results, passed),
      json: { rounds, nodes, limitP99Millis, results, passed },
    });
    return passed ? 0 : 1;
  } finally {
    session.end();
    bare.end();
    await stop(redis);
  }
}

/** As soon as it answers. */
async function connected(config: FleetConfig): Promise<RedisConnection> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await connectRedis(config, 'bench');
    } catch (error) {
      if (tries >= 100) throw error;
      await new Promise((resolve) => {
        setTimeout(resolve, 100);
      });
    }
  }
}

function wordsOf(node: string) {
  return { node, epoch: 1, seq: 1, content: 1, ageMillis: 0, text: '{}', ring: false };
}

/** As many nodes as a large fleet has, all of them announcing. */
async function publishAll(session: Awaited<ReturnType<typeof openFleetSession>>): Promise<Speaker> {
  let master = '';
  for (let at = 1; at <= nodes; at += 1) ({ master } = await session.publish(wordsOf(`hk${at}`)));
  return { node: 'hk1', epoch: 1, master, leavers: 1000, windowMillis: 60_000 };
}

function leaveAsk(): Extract<Ask, { readonly kind: 'leave' }> {
  const witnesses = Array.from({ length: nodes - 1 }, (_, at) => ({
    node: `hk${at + 2}`,
    epoch: 1,
    content: 1,
    inSite: true,
  }));
  return { kind: 'leave', group: 'web4', witnesses, need: 1, needInSite: 0, strong: true };
}

async function takeTurns(ways: readonly Way[], rounds: number): Promise<ReadonlyMap<string, number[]>> {
  const times = new Map<string, number[]>(ways.map(({ name }) => [name, []]));
  const warmUp = 200;
  for (let round = 0; round < rounds + warmUp; round += 1) {
    // The three kinds of token follow one another; the peers stand before or behind them.
    const order = round % 2 === 0 ? ways : [...ways.slice(2), ...ways.slice(0, 2)];
    for (const { name, go } of order) {
      const began = performance.now();
      await go();
      if (round >= warmUp) times.get(name)?.push(performance.now() - began);
    }
  }
  return times;
}

interface Figures {
  readonly p50Millis: number;
  readonly p99Millis: number;
  readonly mostMillis: number;
}

function figures(times: readonly number[]): Figures {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? NaN;
  return { p50Millis: at(0.5), p99Millis: at(0.99), mostMillis: at(1) };
}

function textOf(
  rounds: number,
  results: readonly (Figures & { readonly name: string })[],
  passed: boolean,
): string {
  const rows = results.map(
    ({ name, p50Millis, p99Millis, mostMillis }) =>
      `${name.padEnd(18)} ${p50Millis.toFixed(3).padStart(8)} ${p99Millis.toFixed(3).padStart(8)} ${mostMillis.toFixed(3).padStart(8)}`,
  );
  return [
    `${rounds} rounds, ${nodes} nodes, milliseconds`,
    `${''.padEnd(18)} ${'p50'.padStart(8)} ${'p99'.padStart(8)} ${'most'.padStart(8)}`,
    ...rows,
    `p99 of a token at most ${limitP99Millis} ms: ${passed ? 'kept' : 'missed'}`,
  ].join('\n');
}
