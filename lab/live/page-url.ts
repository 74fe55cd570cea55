/** A URL for the node's HTTP port, where commands need the token: the daemon listens in the node's namespace alone. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Network } from '../network/network.ts';
import { compiledProgram, startIn, stopPidFile } from '../network/process.ts';
import { waitUntil } from '../network/wait.ts';
import { nodeListen } from '../node/config.ts';
import { serveStatusUrl } from './status-url.ts';

export interface PageUrl {
  /** `http://127.0.0.1:PORT`, without a slash. */
  readonly url: string;
  close(): Promise<void>;
}

export async function servePageUrl(network: Network): Promise<PageUrl> {
  const socket = join(network.folder, 'port-relay.sock');
  const pidFile = join(network.folder, 'port-relay.pid');
  const port = nodeListen.split(':').at(-1) ?? '';
  await startIn({
    namespace: network.namespace('node'),
    argv: [process.execPath, compiledProgram('lab/live/port-relay'), socket, port],
    log: join(network.folder, 'port-relay.log'),
    pidFile,
  });
  await waitUntil('the relay to listen', () => existsSync(socket));
  const served = await serveStatusUrl(socket);
  return {
    url: new URL(served.url).origin,
    async close() {
      served.close();
      await stopPidFile(pidFile);
    },
  };
}
