/** What commands print with `--json` is what docs/schemas publishes. `UPDATE_DOCS=1` writes the schemas anew. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildProgram as buildEdge } from '../../edge/program.ts';
import { buildProgram as buildGeoDns } from '../../geodns/cli/program.ts';
import { jsonOutputs, publishedSchema } from '../../src/cli/json-outputs.ts';
import { buildProgram, runProgram } from '../../src/cli/program.ts';
import { openHistory, type History } from '../../src/daemon/history.ts';
import { listenControl } from '../../src/host/control-socket.ts';
import { eventRoutes } from '../../src/http/events.ts';
import { historyRoutes } from '../../src/http/history.ts';
import { type HttpServer, startHttp } from '../../src/http/server.ts';
import { uplinkRoutes } from '../../src/http/uplink-routes.ts';
import { instant } from '../../src/types/units.ts';
import type { FleetStatus } from '../../src/types/wire/fleet-status.ts';
import { deskConfig, type DeskWorld, openDeskWorld } from '../support/operator-desk.ts';
import { expectPublished, schemaFolder } from '../support/published-json.ts';
import { sample } from './config-sample.ts';
import { statusOf } from './host-node.ts';

const fleet: FleetStatus = {
  redis: '10.0.0.5:6379',
  link: 'reading',
  text: 'it answers',
  consentInSeconds: 0,
  nodes: [
    {
      node: 'hk1',
      site: 'hkg',
      self: true,
      state: 'heard',
      why: null,
      silentMillis: 0,
      mode: 'live',
      frozen: false,
      base: 'soaking',
      announcements: [
        {
          service: 'web',
          family: 4,
          uplink: 'cmi',
          carrier: 'cmi',
          state: 'announces',
          wish: 'announce',
          health: 'healthy',
        },
      ],
    },
  ],
  groups: [{ service: 'web', family: 4, consent: 'given', announcingNodes: 2, text: '2 others announce it' }],
  findings: [{ kind: 'region', family: 4, nodes: ['hk1', 'hk2'], text: 'cmi fails towards ID' }],
};

let folder: string;
let config: string;
let history: History;
let server: HttpServer;
let desk: DeskWorld;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-json-'));
  config = join(folder, 'causeway.yaml');
  const control = join(folder, 'control.sock');
  const paths = `paths: { state: ${JSON.stringify(folder)}, control: ${JSON.stringify(control)} }\n`;
  writeFileSync(config, `${sample}${paths}http: { listen: "127.0.0.1:1" }\n`);
  const wallTime = (): string => new Date().toISOString();
  history = await openHistory({
    folder: join(folder, 'history'),
    bootId: 'b',
    now: () => instant(1),
    wallTime,
  });
  const author = 'causeway';
  history.tell({ kind: 'alarm', event: 'raised', author, reason: 'all-bad', text: 'cmi' });
  history.tell({ kind: 'freeze', event: 'frozen', author: 'kim', reason: 'storm', text: 'frozen' });
  const lines = ['a', 'b', 'c'];
  server = await startHttp({
    host: '127.0.0.1',
    port: 0,
    listeners: [(accept) => listenControl({ path: control, accept })],
    status: () => statusOf({ fleet }),
    routes: [
      historyRoutes(history),
      eventRoutes(history),
      uplinkRoutes((uplink) => [{ service: 'web', uplink, family: 4, lines }]),
    ],
  });
  desk = await openDeskWorld(deskConfig());
});

afterAll(async () => {
  await server.close();
  await history.close();
  await desk.close();
  rmSync(folder, { recursive: true, force: true });
});

async function run(...words: readonly string[]): Promise<{ readonly out: string; readonly code: number }> {
  const out: string[] = [];
  let code = 0;
  await runProgram(words, {
    answer: (text) => void out.push(text),
    complain: () => undefined,
    end: (given) => {
      code = given;
    },
  });
  return { out: out.join('\n'), code };
}

test('docs/schemas holds one file for each output, made from the schema', () => {
  if (process.env['UPDATE_DOCS'] === '1') {
    rmSync(schemaFolder, { recursive: true, force: true });
    mkdirSync(schemaFolder, { recursive: true });
    for (const output of jsonOutputs)
      writeFileSync(
        join(schemaFolder, `${output.name}.json`),
        `${JSON.stringify(publishedSchema(output), null, 2)}\n`,
      );
  }
  const wanted = jsonOutputs.map(({ name }) => `${name}.json`);
  expect(readdirSync(schemaFolder).toSorted()).toEqual(wanted.toSorted());
  for (const output of jsonOutputs)
    expect(
      JSON.parse(readFileSync(join(schemaFolder, `${output.name}.json`), 'utf8')),
      'run with UPDATE_DOCS=1 to renew it',
    ).toEqual(JSON.parse(JSON.stringify(publishedSchema(output))));
});

describe('every command but run has its output published, and nothing else is:', () => {
  const quiet = { answer: () => undefined, complain: () => undefined, end: () => undefined };
  const quietEdge = { say: () => undefined, complain: () => undefined, end: () => undefined };
  test.each([
    ['causeway', buildProgram(quiet)],
    ['causeway-geodns', buildGeoDns()],
    ['causeway-edge', buildEdge(quietEdge)],
  ])('%s', (name, program) => {
    const known = program.commands.map((command) => command.name());
    const published = new Set(
      jsonOutputs
        .filter((one) => (one.program ?? 'causeway') === name)
        .flatMap(({ commands }) => commands.map((one) => one.split(' ')[0] ?? '')),
    );
    // The log of run is its own; see docs/command-line.md.
    expect([...published].toSorted()).toEqual(known.filter((one) => one !== 'run').toSorted());
    for (const command of program.commands.filter((one) => one.name() !== 'run'))
      expect(
        [command, ...command.commands].some((one) => one.options.some(({ long }) => long === '--json')),
      ).toBe(true);
  });
});

describe('the published schema fits what is printed by', () => {
  const local: readonly (readonly [string, readonly string[]])[] = [
    ['check', ['check']],
    ['check', ['check', '--host']],
    ['render', ['render', '--plain']],
    ['boot', ['boot']],
    ['routing', ['routing']],
    ['routing', ['routing', '--with-routes']],
    ['routing-check', ['routing', '--check']],
    ['history', ['history']],
    ['history', ['history', '--kind', 'freeze']],
    ['status', ['status']],
    ['explain', ['explain', 'cmi']],
    ['doctor', ['doctor']],
    ['fleet', ['fleet']],
  ];
  test.each(local)('%s: %j', async (name, words) => {
    const { out } = await run(...words, '--json', '-c', config);
    expectPublished(name, out);
  });

  test.each([
    ['completion', ['completion', 'bash']],
    ['completion', ['completion', 'bash', '--json', '--', 'dra']],
    ['simulate', ['simulate', '--list']],
  ])('%s: %j', async (name, words) => {
    const { out } = await run(...(words.includes('--json') ? words : [...words, '--json']));
    expectPublished(name, out);
  });

  test('a bad config', async () => {
    const bad = join(folder, 'bad.yaml');
    writeFileSync(bad, sample.replace('mode: live', 'mode: lively'));
    expectPublished('check', (await run('check', '--json', '-c', bad)).out);
    expectPublished('doctor', (await run('doctor', '--json', '-c', bad)).out);
  });

  test('status and explain without a daemon, which end with 3', async () => {
    const elsewhere = join(folder, 'elsewhere.yaml');
    const paths = `paths: { state: ${JSON.stringify(folder)}, control: ${JSON.stringify(join(folder, 'none'))} }\n`;
    writeFileSync(elsewhere, `${sample}${paths}http: { listen: "127.0.0.1:1" }\n`);
    for (const [name, ...words] of [
      ['status', 'status'],
      ['explain', 'explain', 'cmi'],
    ] as const) {
      const { out, code } = await run(...words, '--json', '-c', elsewhere);
      expect(code).toBe(3);
      expectPublished(name, out);
      expect(JSON.parse(out)).toMatchObject({ daemon: 'unreachable', node: 'hk1' });
    }
  });

  test('operators’ commands', async () => {
    const ends = ['--for', '2h', '--reason', 'x', '--author', 'kim'];
    const lines = [
      ['drain', 'cmi', ...ends],
      ['force', 'withdraw', 'pccw', ...ends, '--dry-run'],
      ['undrain', 'cmi', '--dry-run'],
      ['release', 'cmi'],
      ['freeze', '--reason', 'x', '--author', 'kim'],
      ['thaw', '--yes'],
      ['reload', '--dry-run'],
    ];
    for (const words of lines) {
      const asked = run(...words, '--json', '-c', desk.file);
      const { out, code } = await answered(asked);
      expect({ words, code }).toEqual({ words, code: 0 });
      expectPublished('operator', out);
    }
  });
});

/** The desk answers at the end of a round. */
async function answered<T>(asked: Promise<T>): Promise<T> {
  const state = { done: false };
  const answer = asked.finally(() => {
    state.done = true;
  });
  while (!state.done) {
    await desk.round();
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
  return answer;
}
