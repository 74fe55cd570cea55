/** A URL for the daemon's status: the daemon listens in the node's namespace, so loopback is passed on to its socket. */
import { connect, createServer } from 'node:net';
import { once } from 'node:events';

export interface StatusUrl {
  readonly url: string;
  close(): void;
}

/** Listens on a free port of 127.0.0.1 and passes each connection on to the daemon's Unix socket. */
export async function serveStatusUrl(controlSocket: string): Promise<StatusUrl> {
  const server = createServer((client) => {
    const daemon = connect(controlSocket);
    client.on('error', () => daemon.destroy());
    daemon.on('error', () => client.destroy());
    client.pipe(daemon).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/v1/status`, close: () => server.close() };
}
