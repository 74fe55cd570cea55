/** How clients come in: TLS, IPv6, PROXY protocol; and the rendered files as nginx itself judges them. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { freePorts } from '../../edge/lab/process.ts';
import { judge } from '../../edge/render/write.ts';
import { certificate, folder, snapshot, startEdge, users } from '../support/edge.ts';
import { blocksOf, shellLines } from '../support/doc-blocks.ts';
import { expectPublished } from '../support/published-json.ts';

const cmiDown = { hk1: { carriers: { cmi: false } }, hk2: { carriers: { cmi: true } } };

function raw(host: string, port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host, port }, () => socket.end(text));
    let answer = '';
    socket.on('data', (data) => (answer += data.toString()));
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}
const plain = 'GET /a HTTP/1.0\r\nHost: www.example.test\r\n';

test('over PROXY protocol the client is the one that the trusted balancer names, and over IPv6 the redirect is the same (A11)', async () => {
  const [balanced = 0, six = 0] = await freePorts(2);
  const edge = await startEdge(({ dir, port }) => ({
    trusted: { proxies: ['127.0.0.1', '::1'], header: 'proxy_protocol' },
    servers: {
      www: {
        names: ['www.example.test'],
        listen: [`127.0.0.1:${balanced}`, `[::1]:${six}`, `127.0.0.1:${port}`],
        proxyProtocol: true,
        locations: [{ path: '/', root: join(dir, 'www'), steer: true }],
      },
    },
  }));
  try {
    await edge.put(snapshot(cmiDown));
    const from = (client: string): string => `PROXY TCP4 ${client} 192.0.2.1 1234 80\r\n${plain}\r\n`;
    expect(await raw('127.0.0.1', balanced, from(users.cm))).toContain('Location: http://hk2.edge.test/a');
    expect(await raw('127.0.0.1', balanced, from(users.ct))).not.toContain('Location');
    const viaSix = `PROXY TCP6 2001:db8:3::5 2001:db8::1 1234 80\r\n${plain}\r\n`;
    expect(await raw('::1', six, viaSix)).toContain('Location: http://hk2.edge.test/a');
  } finally {
    await edge.stop();
  }
});

test('over TLS and HTTP/1.1 the redirect stays on https', async () => {
  const dir = folder();
  await certificate(dir);
  const edge = await startEdge(
    ({ port }) => ({
      servers: {
        www: {
          names: ['www.example.test'],
          listen: [`127.0.0.1:${port}`],
          tls: { certificate: join(dir, 'cert.pem'), key: join(dir, 'key.pem') },
          locations: [{ path: '/', root: join(dir, 'www'), steer: true }],
        },
      },
    }),
    { dir },
  );
  try {
    await edge.put(snapshot(cmiDown));
    const location = await new Promise<string | undefined>((resolve, reject) => {
      const headers = { host: 'www.example.test', 'x-forwarded-for': users.cm };
      const ca = readFileSync(join(dir, 'cert.pem'));
      const outgoing = request(
        {
          host: '127.0.0.1',
          port: edge.port,
          path: '/x',
          headers,
          ca,
          servername: 'www.example.test',
          checkServerIdentity: () => undefined,
        },
        (incoming) => {
          incoming.resume();
          resolve(incoming.headers.location);
        },
      );
      outgoing.on('error', reject);
      outgoing.end();
    });
    expect(location).toBe('https://hk2.edge.test/x');
  } finally {
    await edge.stop();
  }
});

/** Lines of docs/edge.md that begin so. */
function documented(start: string): readonly string[] {
  const lines = blocksOf('docs/edge.md').flatMap(shellLines);
  const found = lines.filter((line) => line.startsWith(start));
  expect(found).not.toEqual([]);
  return found;
}

test('the admin socket answers the curl of the docs', async () => {
  const edge = await startEdge({});
  try {
    for (const line of documented('curl ')) {
      const { stdout } = await execa('sh', [
        '-c',
        line.replace('/run/causeway-edge/admin.sock', edge.socket),
      ]);
      expect(JSON.parse(stdout)).toMatchObject({ node: 'hk1' });
    }
  } finally {
    await edge.stop();
  }
});

test('nginx accepts the complete site of the docs, checked and rendered as they say', async () => {
  const dir = folder();
  try {
    await certificate(dir);
    writeFileSync(join(dir, 'redis.key'), 'secret\n');
    const site = /```yaml\n([^]*?)```/.exec(readFileSync('docs/edge.md', 'utf8'))?.[1] ?? '';
    const here = site
      .replace('/etc/causeway/networks.yaml', join(process.cwd(), 'test/fixtures/edge/networks.yaml'))
      .replace('/etc/ssl/www.pem', join(dir, 'cert.pem'))
      .replace('/etc/ssl/private/www.key', join(dir, 'key.pem'))
      .replace('/etc/ssl/certs/ca-certificates.crt', join(dir, 'cert.pem'))
      .replace('/etc/causeway/redis.key', join(dir, 'redis.key'))
      .replace('run: /run/causeway-edge', `run: ${join(dir, 'run')}`);
    writeFileSync(join(dir, 'edge.yaml'), here);
    for (const line of documented('causeway-edge ')) {
      const there = line
        .replace('causeway-edge', `"${process.execPath}" bin/causeway-edge`)
        .replace('/etc/causeway/edge.yaml', join(dir, 'edge.yaml'))
        .replace('/etc/causeway-edge', join(dir, 'out'));
      expect(await execa('sh', ['-c', there])).toMatchObject({ exitCode: 0 });
    }
    expect(await judge(join(dir, 'out/nginx.conf'))).toBe(null);
    const words = ['render', '-c', join(dir, 'edge.yaml'), '-o', join(dir, 'out'), '--json'];
    const { stdout } = await execa(process.execPath, ['bin/causeway-edge', ...words]);
    expect(expectPublished('edge-render', stdout)).toEqual({
      out: join(dir, 'out'),
      problems: [],
      refusal: null,
    });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
