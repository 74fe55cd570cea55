/** A real Redis for tests, on loopback, without files; removed with the test. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { freePorts, stop } from '../../edge/lab/process.ts';
import { until } from './edge.ts';

export interface Redis {
  readonly port: number;
  /** The running process; another one after `start`. */
  readonly child: () => ChildProcess;
  /** Sends one inline command; Redis's reply as text. */
  readonly command: (text: string) => Promise<string>;
  readonly start: () => Promise<void>;
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>;
}

/** One command on a connection of its own. */
function inline(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host: '127.0.0.1', port }, () => socket.write(`${text}\r\n`));
    socket.setTimeout(3000, () => socket.destroy(new Error('redis is silent')));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString().trim());
    });
    socket.once('error', reject);
  });
}

export async function startRedis(options: readonly string[] = []): Promise<Redis> {
  const [port = 0] = await freePorts(1);
  const own = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  return startServer(port, [...own, ...options]);
}

/** A Sentinel with a quorum of one; `dir`: a folder of its own for its file, which it writes to. */
export async function startSentinel(dir: string, master: string, masterPort: number): Promise<Redis> {
  const [port = 0] = await freePorts(1);
  const conf = join(dir, 'sentinel.conf');
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${dir}`,
    `sentinel monitor ${master} 127.0.0.1 ${masterPort} 1`,
    `sentinel down-after-milliseconds ${master} 30000`,
    `sentinel failover-timeout ${master} 5000`,
  ];
  writeFileSync(conf, `${lines.join('\n')}\n`);
  return startServer(port, [conf, '--sentinel']);
}

async function startServer(port: number, args: readonly string[]): Promise<Redis> {
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    child = spawn('redis-server', args, { stdio: 'ignore' });
    const started = child;
    const end = (): void => void started.kill('SIGKILL');
    process.once('exit', end);
    started.once('exit', () => process.off('exit', end));
    await until('redis answers', async () => {
      const answer = await inline(port, 'PING').catch(() => undefined);
      return answer === undefined || answer.includes('LOADING') ? undefined : true;
    });
  };
  await start();
  const running = (): ChildProcess => {
    if (!child) throw new Error('redis was not started');
    return child;
  };
  return {
    port,
    child: running,
    start,
    command: (text) => inline(port, text),
    stop: (signal = 'SIGKILL') => stop(running(), signal),
  };
}
