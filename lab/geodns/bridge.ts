/** From 127.0.0.1:8053 in the node's namespace to a server in ours, over a socket file: namespaces share the files alone. */
import { writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { DnsServer } from '../../geodns/dns/ask.ts';
import type { Network } from '../network/network.ts';
import { startIn } from '../network/process.ts';

/** Where the node reaches it. */
export const bridgedUrl = 'http://127.0.0.1:8053';

/** Returns the function that ends our side; the node's side ends with the network. */
export async function bridgeTo(network: Network, server: DnsServer): Promise<() => void> {
  const path = join(network.folder, 'geodns.sock');
  const bridge = createServer((inner) => {
    const outer = connect(server.port, server.host);
    pipe(inner, outer);
    pipe(outer, inner);
  });
  await new Promise<void>((resolve) => bridge.listen(path, resolve));
  const program = join(network.folder, 'bridge.mjs');
  writeFileSync(program, programText(path));
  await startIn({
    namespace: network.namespace('node'),
    argv: [process.execPath, program],
    log: join(network.folder, 'bridge.log'),
    pidFile: join(network.folder, 'bridge.pid'),
  });
  return () => {
    bridge.close();
  };
}

function pipe(one: Socket, other: Socket): void {
  one.pipe(other);
  one.on('error', () => other.destroy());
  one.on('close', () => other.destroy());
}

function programText(path: string): string {
  return `import { connect, createServer } from 'node:net';
createServer((inner) => {
  const outer = connect(${JSON.stringify(path)});
  for (const [one, other] of [[inner, outer], [outer, inner]]) {
    one.pipe(other);
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
  }
}).listen(8053, '127.0.0.1');
`;
}
