/** A real HAProxy on the node: what stands behind the service, and what its readiness check asks. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Network } from '../network/network.ts';
import { startIn, stopPidFile } from '../network/process.ts';
import { nodeFiles } from './config.ts';

function pidFile(network: Network): string {
  return join(network.folder, 'haproxy.pid');
}

/** Starts it if it does not run; its one backend checks a server every 100 ms, which it is itself. */
export async function startHaproxy(network: Network): Promise<void> {
  await stopHaproxy(network);
  const folder = join(network.folder, 'haproxy');
  mkdirSync(folder, { recursive: true });
  const config = join(folder, 'haproxy.cfg');
  writeFileSync(config, haproxyConfig(nodeFiles(network).haproxySocket));
  await startIn({
    namespace: network.namespace('node'),
    argv: ['haproxy', '-db', '-f', config],
    log: join(network.folder, 'haproxy.log'),
    pidFile: pidFile(network),
  });
}

/** Dies as in a crash; its socket stays behind. */
export async function stopHaproxy(network: Network): Promise<void> {
  await stopPidFile(pidFile(network), 'SIGKILL');
}

function haproxyConfig(socket: string): string {
  return `global
  stats socket ${socket} mode 600 level user
defaults
  mode http
  timeout connect 1s
  timeout client 5s
  timeout server 5s
listen origin
  bind 127.0.0.1:8081
  http-request return status 200
backend app
  option httpchk GET /healthz
  server s1 127.0.0.1:8081 check inter 100 rise 1 fall 1
`;
}
