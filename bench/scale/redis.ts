/**
 * What single steps of the fleet cost a real Redis and a node, by the real code of the daemon: a cycle (publish and read
 * everybody's words), reading a presence that changed, and ringing one node. CPU from /proc, bytes as Redis counts them.
 */
import { spawn } from 'node:child_process';
import { freePorts } from '../../edge/lab/process.ts';
import { type FleetSession, openFleetSession } from '../../src/adapters/fleet-session.ts';
import { connectRedis, type RedisConnection } from '../../src/adapters/redis.ts';
import { textIn } from '../../src/adapters/redis-replies.ts';
import { waitUntil } from '../../lab/network/wait.ts';
import { roomyFleetAt } from '../fleet-config.ts';
import { cpuMicrosOf, ended } from '../probe-stand.ts';
import { presenceText } from './presence.ts';
import type { FleetShape } from './sum.ts';

/** Of one step. */
export interface StepCost {
  readonly redisMicros: number;
  /** CPU of the process that is the node. */
  readonly nodeMicros: number;
  readonly inBytes: number;
  readonly outBytes: number;
}

export interface RedisUnits {
  readonly presenceBytes: number;
  readonly cycle: StepCost;
  readonly reading: StepCost;
  readonly ringing: StepCost;
}

/** As many as speak at the same time in this process; a step costs the same in whichever. */
const speakers = 5;
/** A message to nobody costs nearly nothing, so those that listen are many. */
const listeners = 100;

/** A Redis of its own, in which so many nodes have spoken. */
export async function measureRedis(nodes: number, fleet: FleetShape, seconds: number): Promise<RedisUnits> {
  const [port = 0] = await freePorts(1);
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const redis = spawn('redis-server', options, { stdio: 'ignore' });
  const config = roomyFleetAt(port);
  const opened: { end(): void }[] = [];
  const keep = <T extends { end(): void }>(one: T): T => {
    opened.push(one);
    return one;
  };
  try {
    const bare = keep(await waitUntil('Redis', () => connectRedis(config, 'bench')));
    await fill(bare, nodes, fleet);
    const sessions: FleetSession[] = [];
    for (let index = 0; index < speakers; index += 1)
      sessions.push(keep(await openFleetSession(config, nodeName(index))));
    const meter = { pid: redis.pid ?? 0, bare, seconds };
    const texts = sessions.map((_, index) => presenceText(nodeName(index), fleet));
    const cycle = await costOf(meter, sessions, (session, index, turn) =>
      session.publish(publicationOf(nodeName(index), turn, texts[index] ?? '')),
    );
    const reading = await costOf(meter, sessions, (session, index) => session.presences([nodeName(index)]));
    for (let index = 0; index < listeners; index += 1) {
      const listener = keep(await connectRedis(config, `bell${index}`));
      await listener.subscribe('causeway:events', () => undefined);
    }
    const [text = ''] = texts;
    const rung = await costOf(meter, [bare], (one) => one.call(['PUBLISH', 'causeway:events', text]));
    return { presenceBytes: text.length, cycle, reading, ringing: dividedBy(rung, listeners) };
  } finally {
    for (const one of opened) one.end();
    await ended(redis);
  }
}

interface Meter {
  readonly pid: number;
  readonly bare: RedisConnection;
  readonly seconds: number;
}

/** Steps one after the other on each connection, for so long. */
async function costOf<T>(
  { pid, bare, seconds }: Meter,
  on: readonly T[],
  step: (one: T, index: number, turn: number) => Promise<unknown>,
): Promise<StepCost> {
  const before = { cpu: cpuMicrosOf(pid), own: process.cpuUsage(), bytes: await bytesOf(bare) };
  const until = performance.now() + seconds * 1000;
  let steps = 0;
  await Promise.all(
    on.map(async (one, index) => {
      while (performance.now() < until) {
        await step(one, index, steps);
        steps += 1;
      }
    }),
  );
  const own = process.cpuUsage(before.own);
  const bytes = await bytesOf(bare);
  const sum = {
    redisMicros: cpuMicrosOf(pid) - before.cpu,
    nodeMicros: own.user + own.system,
    inBytes: bytes.in - before.bytes.in,
    outBytes: bytes.out - before.bytes.out,
  };
  return dividedBy(sum, steps);
}

function dividedBy({ redisMicros, nodeMicros, inBytes, outBytes }: StepCost, by: number): StepCost {
  return {
    redisMicros: redisMicros / by,
    nodeMicros: nodeMicros / by,
    inBytes: inBytes / by,
    outBytes: outBytes / by,
  };
}

async function bytesOf(bare: RedisConnection): Promise<{ readonly in: number; readonly out: number }> {
  const info = textIn(await bare.call(['INFO', 'stats'])) ?? '';
  const field = (name: string): number => Number(new RegExp(`${name}:(\\d+)`).exec(info)?.[1] ?? 0);
  return { in: field('total_net_input_bytes'), out: field('total_net_output_bytes') };
}

async function fill(bare: RedisConnection, nodes: number, fleet: FleetShape): Promise<void> {
  for (let index = 0; index < nodes; index += 1) {
    const node = nodeName(index);
    await bare.call(['HSET', 'causeway:beats', node, `${epoch} 1000 1000 100`]);
    await bare.call(['SET', `causeway:node:${node}`, presenceText(node, fleet)]);
  }
}

const epoch = 1_796_000_000_000;

function nodeName(index: number): string {
  return `node${index}`;
}

function publicationOf(node: string, turn: number, text: string) {
  return { node, epoch, seq: 1000 + turn, content: 1000, ageMillis: 100, text, ring: false };
}
