/** How soon the edge decides by what it was told: a push, then a request at once; alternately up and down. */
import { Agent, request } from 'node:http';
import { pushBytes } from '../../edge/push.ts';
import { figure, gate, percentile } from './report.ts';
import type { Piece } from './report.ts';
import type { Bench } from './site.ts';
import { stateWord } from './word.ts';

/** The half of them that redirect stay below the damping of one client. */
const pushCount = 1900;

interface Pushes {
  /** Milliseconds from the beginning of a push to the answer of the request after it; sorted. */
  readonly millis: readonly number[];
  /** Requests that were decided by an older word. */
  readonly wrong: number;
}

/** How soon, and how many were decided by an older word. */
export async function pushPiece(bench: Bench): Promise<Piece> {
  const [port = 0] = bench.edges;
  const word = (seq: number, up: boolean): string => stateWord('hk1', seq, up);
  const { millis, wrong } = await measurePushes(bench.admin, port, '/steer', pushCount, word);
  const at = (share: number): number => percentile(millis, share);
  return {
    tables: [
      {
        title: `From the beginning of a push to the answer of the request after it, ${pushCount} times`,
        columns: ['p50 ms', 'p99 ms', 'decided by an older word'],
        rows: [[figure(at(0.5), 2), figure(at(0.99), 2), wrong]],
      },
    ],
    gates: [
      gate('push → decision, p99 in ms', at(0.99), 0, 20),
      gate('decisions by an older word', wrong, 0, 0),
    ],
  };
}

/** `state` makes the bytes of the nth word; whether a user is then to be served here. */
async function measurePushes(
  socket: string,
  port: number,
  path: string,
  count: number,
  state: (seq: number, up: boolean) => string,
): Promise<Pushes> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const millis: number[] = [];
  let wrong = 0;
  try {
    for (let seq = 2; seq < count + 2; seq += 1) {
      const up = seq % 2 === 0;
      const began = performance.now();
      const push = await pushBytes(socket, state(seq, up));
      if (push.kind !== 'taken') throw new Error(`not taken: ${JSON.stringify(push)}`);
      const status = await statusOf(agent, port, path);
      millis.push(performance.now() - began);
      if (status !== (up ? 200 : 302)) wrong += 1;
    }
  } finally {
    agent.destroy();
  }
  return { millis: millis.toSorted((a, b) => a - b), wrong };
}

function statusOf(agent: Agent, port: number, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { host: '127.0.0.1', port, path, agent, headers: { host: 'www.example.test' } },
      (incoming) => {
        incoming.resume();
        incoming.on('end', () => resolve(incoming.statusCode ?? 0));
      },
    );
    outgoing.on('error', reject);
    outgoing.end();
  });
}
