/** How soon the edge decides by what it was told: a push, then a request at once; alternately up and down. */
import { Agent, request } from 'node:http';
import { pushBytes } from '../../edge/push.ts';

export interface Pushes {
  /** Milliseconds from the beginning of a push to the answer of the request after it; sorted. */
  readonly millis: readonly number[];
  /** Requests that were decided by an older word. */
  readonly wrong: number;
}

/** `state` makes the bytes of the nth word; whether a user is then to be served here. */
export async function measurePushes(
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
