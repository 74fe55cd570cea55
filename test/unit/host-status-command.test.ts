/** `causeway status` against a real server, and against things that are none. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fetchStatus } from '../../src/cli/daemon-client.ts';
import type { Output } from '../../src/cli/exit.ts';
import { registerStatus } from '../../src/cli/status.ts';
import { listenControl } from '../../src/host/control-socket.ts';
import { startHttp, type HttpServer } from '../../src/http/server.ts';
import { statusOf } from './host-node.ts';

let server: HttpServer;
let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-status-'));
  path = join(folder, 'control.sock');
  server = await startHttp({
    host: '127.0.0.1',
    port: 0,
    listeners: [(accept) => listenControl({ path, accept })],
    status: () => statusOf(),
  });
});

afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

async function status(...words: readonly string[]) {
  const said = { answer: '', complaint: '', code: -1 };
  const output: Output = {
    answer: (text) => {
      said.answer += text;
    },
    complain: (text) => {
      said.complaint += text;
    },
    end: (code) => {
      said.code = code;
    },
  };
  const program = new Command('causeway');
  registerStatus(program, output);
  await program.parseAsync(['status', ...words], { from: 'user' });
  return said;
}

test('status shows a table, without colour in a pipe', async () => {
  const { answer, complaint, code } = await status('--url', server.url);
  expect(answer).toContain('cmi     v4  healthy');
  expect(answer).not.toContain('\u001B');
  expect(complaint).toBe('');
  expect(code).toBe(0);
});

test('status --json prints the document', async () => {
  const { answer } = await status('--url', server.url, '--json');
  expect(JSON.parse(answer)).toEqual(statusOf());
});

test('a daemon that does not run ends with 3 and says what to do', async () => {
  await server.close();
  const { answer, complaint, code } = await status('--url', server.url);
  expect(code).toBe(3);
  expect(answer).toBe('');
  expect(complaint).toContain('ECONNREFUSED');
  expect(complaint).toContain('systemctl status causeway');
});

test('the socket is asked first, and the port where there is none', async () => {
  const port = { kind: 'url', url: server.url } as const;
  expect(await fetchStatus([{ kind: 'socket', path }])).toMatchObject({ kind: 'answer' });
  expect(await fetchStatus([{ kind: 'socket', path: `${path}.none` }, port])).toMatchObject({
    kind: 'answer',
  });
  const neither = await fetchStatus([{ kind: 'socket', path: `${path}.none` }]);
  expect(neither).toMatchObject({ kind: 'unreachable', text: expect.stringContaining('ENOENT') });
});

test.each([
  {
    name: 'a document of another version',
    body: JSON.stringify({ ...statusOf(), schema: 2 }),
    says: 'version 1',
  },
  { name: 'half a document', body: '{"schema":1,"node":"hk1"', says: 'JSON' },
  { name: 'an empty answer', body: '', says: 'JSON' },
  { name: 'another program', body: '<html>', says: 'JSON' },
])('$name is no answer', async ({ body, says }) => {
  const other: Server = createServer((_request, response) => response.end(body));
  await new Promise<void>((resolve) => {
    other.listen(0, '127.0.0.1', resolve);
  });
  try {
    const address = other.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const answer = await fetchStatus([{ kind: 'url', url: `http://127.0.0.1:${address.port}` }]);
    expect(answer).toMatchObject({ kind: 'unreachable', text: expect.stringContaining(says) });
  } finally {
    other.close();
  }
});
