/** A small real Unix server that speaks as BIRD would, or badly; for faults that a real BIRD cannot be made to show. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const greeting = '0001 BIRD 2.0.12 ready.\n';

export interface SocketServer {
  readonly path: string;
  /** Commands that came, in order. */
  readonly received: readonly string[];
  /** Connections that were accepted so far. */
  connections(): number;
  /** Connections that are open now. */
  open(): number;
  stop(): Promise<void>;
}

/** `onCommand` gets each line that comes, and the connection to answer on. `first` is sent at once. */
export async function startServer(
  onCommand: (line: string, socket: Socket) => void,
  first: string = greeting,
): Promise<SocketServer> {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-socket-'));
  const path = join(folder, 'bird.ctl');
  const received: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    if (first !== '') socket.write(first);
    let rest = '';
    socket.on('data', (chunk) => {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        received.push(line);
        onCommand(line, socket);
      }
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(path, resolve);
  });
  return {
    path,
    received,
    connections: () => connections,
    open: () => sockets.size,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
