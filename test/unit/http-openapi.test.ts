/** `/docs` and `/docs/json`: every route is described, by the schemas that the daemon itself uses. */
import { readFileSync } from 'node:fs';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { explainAnswer, healthAnswer, readyAnswer } from '../../src/types/wire/answers.ts';
import { historyAnswer } from '../../src/types/wire/history.ts';
import { freezeRequest } from '../../src/types/wire/operator.ts';
import { problemDocument } from '../../src/types/wire/problem.ts';
import { seriesAnswer } from '../../src/types/wire/series.ts';
import { statusDocument, uplinkStatus } from '../../src/types/wire/status.ts';
import { ask, type HttpWorld, openHttpWorld, token } from '../support/http-world.ts';
import { statusOf } from './host-node.ts';

const media = z.looseObject({ schema: z.record(z.string(), z.unknown()) });
const response = z.looseObject({ description: z.string(), content: z.record(z.string(), media).optional() });
const operation = z.looseObject({
  summary: z.string().min(8),
  tags: z.array(z.string()).length(1),
  parameters: z
    .array(z.looseObject({ name: z.string(), in: z.string(), description: z.string() }))
    .optional(),
  requestBody: z.looseObject({ content: z.record(z.string(), media) }).optional(),
  responses: z.record(z.string(), response),
  security: z.array(z.unknown()).optional(),
});
const openapi = z.looseObject({
  openapi: z.string().startsWith('3.1'),
  paths: z.record(z.string(), z.record(z.string(), operation)),
});

let world: HttpWorld;
let document: z.infer<typeof openapi>;
beforeAll(async () => {
  world = await openHttpWorld({ ticks: false });
  document = openapi.parse(JSON.parse((await ask(world.port, { path: '/docs/json' })).body));
});
afterAll(() => world.close());

const of = (path: string, method = 'get'): z.infer<typeof operation> => {
  const found = document.paths[path]?.[method];
  if (found === undefined) throw new Error(`${method} ${path} is not described`);
  return found;
};

test.each([
  ['get', '/healthz'],
  ['get', '/readyz'],
  ['get', '/metrics'],
  ['get', '/v1/status'],
  ['get', '/v1/uplinks/{uplink}'],
  ['get', '/v1/explain/{uplink}'],
  ['get', '/v1/history'],
  ['get', '/v1/events'],
  ['get', '/v1/record'],
  ['get', '/v1/series'],
  ['post', '/v1/overrides'],
  ['post', '/v1/release'],
  ['post', '/v1/freeze'],
  ['post', '/v1/thaw'],
  ['post', '/v1/reload'],
  ['post', '/v1/apply'],
  ['get', '/docs'],
  ['get', '/docs/json'],
])('%s %s is described, with what it refuses', (method, path) => {
  const { responses } = of(path, method);
  expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '400', '500']));
  for (const [status, { content = {} }] of Object.entries(responses)) {
    const type = Object.keys(content)[0] ?? '';
    if (type === 'application/problem+json') expect(Number(status)).toBeGreaterThanOrEqual(400);
    else expect([200, 503]).toContain(Number(status));
  }
});

describe('the description and the daemon have one source', () => {
  const jsonOf = (schema: z.ZodType, io: 'input' | 'output'): unknown => {
    const { $schema: _, ...made } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
    return JSON.parse(JSON.stringify(made));
  };

  test('of answers', () => {
    const shown = of('/v1/status').responses['200']?.content?.['application/json']?.schema;
    expect(shown).toEqual(jsonOf(statusDocument, 'output'));
    const refused = of('/v1/status').responses['400']?.content?.['application/problem+json']?.schema;
    expect(refused).toEqual(jsonOf(problemDocument, 'output'));
  });

  test('of bodies', () => {
    const { requestBody, security } = of('/v1/freeze', 'post');
    expect(requestBody?.content['application/json']?.schema).toEqual(jsonOf(freezeRequest, 'input'));
    expect(security).toEqual([{ token: [] }]);
  });

  test.each([
    ['/healthz', healthAnswer],
    ['/readyz', readyAnswer],
    ['/v1/status', statusDocument],
    ['/v1/uplinks/cmi', uplinkStatus],
    ['/v1/explain/cmi', explainAnswer],
    ['/v1/history', historyAnswer],
    ['/v1/series?since=15min', seriesAnswer],
  ])('GET %s sends what is described', async (path, schema) => {
    const { body, status } = await ask(world.port, { path });
    expect([200, 503]).toContain(status);
    expect(schema.safeParse(JSON.parse(body)).error).toBeUndefined();
  });

  test('every parameter that is described is taken', async () => {
    const values: Readonly<Record<string, string>> = {
      since: '2h',
      limit: '5',
      uplink: 'cmi',
      kind: 'alarm',
    };
    for (const { name } of of('/v1/history').parameters ?? []) {
      const answer = await ask(world.port, { path: `/v1/history?${name}=${values[name]}` });
      expect({ name, status: answer.status }).toEqual({ name, status: 200 });
    }
    expect(of('/v1/history').parameters).toHaveLength(4);
  });
});

test('the page asks for nothing from elsewhere, and runs nothing', async () => {
  const { body, headers } = await ask(world.port, { path: '/docs', headers: { accept: 'text/html' } });
  expect(headers['content-security-policy']).toBe(
    "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'",
  );
  expect(body).not.toMatch(/<script|style="|\son\w+=|(src|href)="(?!\/docs\/)/);
  for (const path of Object.keys(document.paths)) expect(body).toContain(`${path}</h2>`);
  const style = await ask(world.port, { path: '/docs/style.css' });
  expect(style.headers['content-type']).toBe('text/css; charset=utf-8');
});

describe('readiness', () => {
  const ready = async () => readyAnswer.parse(JSON.parse((await ask(world.port, { path: '/readyz' })).body));
  const running = {
    kind: 'running',
    engine: 'icmp-socket',
    pid: 7,
    lagMillis: 0,
    strays: 0,
    rssBytes: 1,
  } as const;
  const seen = { kind: 'seen', version: '2.17', path: '/run/bird/bird.ctl' } as const;

  test('is there when a tick has ended, BIRD was read, the prober runs and a window was measured', async () => {
    world.document = statusOf({ bird: seen, prober: running, tickAgeMillis: 100 });
    expect(await ready()).toMatchObject({ ready: true });
    expect((await ask(world.port, { path: '/readyz' })).status).toBe(200);
  });

  test.each([
    ['tick', { bird: { kind: 'starting', path: '/x' } }],
    ['tick', { bird: seen, tickAgeMillis: 9000 }],
    ['bird', { bird: { kind: 'unreachable', path: '/x', code: 'ENOENT', text: 'gone' } }],
    ['prober', { prober: { kind: 'unable', code: 'EACCES', text: 'no' } }],
    ['prober', { prober: { kind: 'silent', text: 'no message' } }],
  ] as const)('%s is missing, and said', async (name, more) => {
    world.document = { ...statusOf({ bird: seen, prober: running, tickAgeMillis: 100 }), ...more };
    const answer = await ready();
    expect(answer.ready).toBe(false);
    expect(answer.checks.find((check) => check.name === name)).toMatchObject({ ok: false });
    expect((await ask(world.port, { path: '/readyz' })).status).toBe(503);
  });
});

describe('the examples in docs/http.md', () => {
  const [, block = ''] = /```sh\n([\s\S]*?)```/.exec(readFileSync('docs/http.md', 'utf8')) ?? [];
  const commands = block.replaceAll('\\\n', ' ').trim().split('\n');

  test.each(commands)('%s is answered', async (command) => {
    const here = command
      .replaceAll('localhost:9180', `127.0.0.1:${world.port}`)
      .replaceAll('/run/causeway/control.sock', world.socket)
      .replace(/\$\(sudo cat [^)]*\)/, token)
      .replace(/\| jq.*$/, '')
      // A stream does not end by itself.
      .replace('curl -sN', 'curl -sN --max-time 2');
    const { stdout, exitCode } = await execa('sh', ['-c', here], { reject: false });
    const endless = command.includes('/v1/events');
    expect(exitCode).toBe(endless ? 28 : 0);
    if (endless) expect(stdout).toContain(': the history of this node');
    else expect(JSON.parse(stdout)).not.toHaveProperty('detail');
  });

  test('are some', () => expect(commands.length).toBeGreaterThan(3));
});
