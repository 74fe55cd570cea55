/** Ways to be a bad client, each a command that runs in the node's own namespace until it is stopped. */
import type { Stage } from './http-stage.ts';

/** A script for `node -e` that keeps connections busy; `port` is put before it. */
function script(body: string): (port: number) => readonly string[] {
  return (port) => [
    process.execPath,
    '-e',
    `const net = require('net'); const port = ${port};
const again = (count, make) => { for (let i = 0; i < count; i += 1) { const run = () => make().on('error', () => {}).on('close', () => setTimeout(run, 5)); run(); } };
${body}`,
  ];
}

function wrk(path: string, connections: number): (port: number, seconds: number) => readonly string[] {
  return (port, seconds) => [
    'wrk',
    '-t1',
    `-c${connections}`,
    `-d${seconds + 5}s`,
    `http://127.0.0.1:${port}${path}`,
  ];
}

export const attacks: readonly Stage[] = [
  { name: 'wrk /v1/status, 100 connections', attack: wrk('/v1/status', 100) },
  { name: 'wrk /metrics, 100 connections', attack: wrk('/metrics', 100) },
  { name: 'wrk /v1/history?limit=10000, 100 connections', attack: wrk('/v1/history?limit=10000', 100) },
  {
    name: 'pipelined, 60 kB at once on 100 connections',
    attack:
      script(`const many = Buffer.from('GET /healthz HTTP/1.1\\r\\nhost: localhost\\r\\n\\r\\n'.repeat(1300));
again(100, () => { const s = net.connect(port, '127.0.0.1'); const go = () => { while (s.write(many)); }; s.on('connect', go).on('drain', go).resume(); return s; });`),
  },
  {
    name: 'slow-loris: 100 heads that do not end, a byte a second',
    attack: script(
      `again(100, () => { const s = net.connect(port, '127.0.0.1', () => s.write('GET /v1/status HTTP/1.1\\r\\n')); const t = setInterval(() => s.write('x'), 1000); s.on('close', () => clearInterval(t)).resume(); return s; });`,
    ),
  },
  {
    name: 'reads nothing: /v1/history on 100 connections',
    attack: script(
      `again(100, () => { const s = net.connect(port, '127.0.0.1', () => s.write('GET /v1/history?limit=10000 HTTP/1.1\\r\\nhost: localhost\\r\\n\\r\\n')); s.pause(); setTimeout(() => s.destroy(), 8000); return s; });`,
    ),
  },
  {
    name: 'vanishes: connects, asks and resets',
    attack: script(
      `again(50, () => { const s = net.connect(port, '127.0.0.1', () => { s.write('GET /v1/status HTTP/1.1\\r\\nhost: localhost\\r\\n\\r\\n'); setImmediate(() => s.resetAndDestroy()); }); return s; });`,
    ),
  },
  {
    name: 'guesses tokens with large bodies',
    attack:
      script(`const body = 'x'.repeat(60000); const ask = Buffer.from('POST /v1/freeze HTTP/1.1\\r\\nhost: localhost\\r\\nauthorization: Bearer guess-guess-guess\\r\\ncontent-type: application/json\\r\\ncontent-length: 60000\\r\\n\\r\\n' + body);
again(100, () => { const s = net.connect(port, '127.0.0.1', () => s.write(ask)); s.resume(); return s; });`),
  },
];
