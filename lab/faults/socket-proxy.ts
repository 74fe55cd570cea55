/**
 * Stands between the daemon and BIRD's control socket, and breaks the line in the ways that happen: hanging, cut in the
 * middle of a reply, missing, forbidden. Runs in the scenario's own process.
 */
import { chmodSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';

export type ProxyMode = 'pass' | 'hang' | 'cut' | 'missing' | 'forbidden';

export interface SocketProxy {
  /** Drops the connections that stand; what connects then meets the new mode. */
  become(mode: ProxyMode): Promise<void>;
  stop(): Promise<void>;
}

/** A reply is cut after this many bytes: in the middle of `show protocols all`, behind the whole greeting. */
const cutAfterBytes = 700;

export async function startSocketProxy(path: string, target: string): Promise<SocketProxy> {
  const open = new Set<Socket>();
  let mode: ProxyMode = 'pass';
  let server: Server | null = null;

  async function listen(): Promise<void> {
    server = createServer((client) => serve(client, target, mode, open));
    rmSync(path, { force: true });
    server.listen(path);
    await once(server, 'listening');
    chmodSync(path, mode === 'forbidden' ? 0o000 : 0o660);
  }
  async function silence(): Promise<void> {
    for (const socket of open) socket.destroy();
    open.clear();
    if (server === null) return;
    const closing = once(server, 'close');
    server.close();
    server = null;
    await closing;
  }
  await listen();
  return {
    async become(next) {
      mode = next;
      await silence();
      if (next !== 'missing') await listen();
    },
    stop: silence,
  };
}

function serve(client: Socket, target: string, mode: ProxyMode, open: Set<Socket>): void {
  keep(client, open);
  if (mode === 'hang') return;
  const bird = connect(target);
  keep(bird, open);
  client.on('data', (chunk) => bird.write(chunk));
  let passed = 0;
  bird.on('data', (chunk) => {
    if (mode !== 'cut') {
      client.write(chunk);
      return;
    }
    const rest = cutAfterBytes - passed;
    passed += chunk.length;
    if (passed < cutAfterBytes) client.write(chunk);
    else client.end(chunk.subarray(0, Math.max(0, rest)));
  });
  client.on('close', () => bird.destroy());
  bird.on('close', () => client.destroy());
}

function keep(socket: Socket, open: Set<Socket>): void {
  open.add(socket);
  socket.on('error', () => socket.destroy());
  socket.on('close', () => open.delete(socket));
}
