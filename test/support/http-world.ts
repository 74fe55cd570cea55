/** The daemon's HTTP server with all its routes: a real history, real commands, and a status that the test gives. */
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSeries, seriesAt } from '../../src/daemon/series.ts';
import { type History, openHistory } from '../../src/daemon/history.ts';
import { listenControl } from '../../src/host/control-socket.ts';
import { applyRoutes } from '../../src/http/apply-routes.ts';
import { eventRoutes } from '../../src/http/events.ts';
import { historyRoutes } from '../../src/http/history.ts';
import { type Metrics, openMetrics } from '../../src/http/metrics/metrics.ts';
import { metricsRoutes } from '../../src/http/metrics/route.ts';
import { operatorRoutes } from '../../src/http/operator-routes.ts';
import { pageRoutes } from '../../src/http/page/routes.ts';
import { recordRoutes } from '../../src/http/record.ts';
import { seriesRoutes } from '../../src/http/series.ts';
import { type HttpServer, startHttp } from '../../src/http/server.ts';
import { openTurns, type Turns } from '../../src/http/turns.ts';
import { uplinkRoutes } from '../../src/http/uplink-routes.ts';
import type { HistoryEvent } from '../../src/types/history.ts';
import { instant } from '../../src/types/units.ts';
import type { StatusDocument } from '../../src/types/wire/status.ts';
import { statusOf } from '../unit/host-node.ts';
import { type DeskWorld, deskConfig, openDeskWorld } from './operator-desk.ts';

export const token = 'correct-horse-battery';

export interface HttpWorld {
  readonly server: HttpServer;
  readonly port: number;
  /** Path of the control socket. */
  readonly socket: string;
  readonly history: History;
  readonly desk: DeskWorld;
  readonly metrics: Metrics;
  readonly turns: Turns;
  document: StatusDocument;
  /** Another one: a tick has ended. */
  tick: number;
  /** How often the status document was made. */
  made: number;
  close(): Promise<void>;
}

/** `ticks` false: each request makes its answer anew. */
export async function openHttpWorld({
  ticks = true,
  host = '127.0.0.1',
  mostMissed = 10_000,
} = {}): Promise<HttpWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-http-'));
  const history = await openHistory({
    folder: join(folder, 'history'),
    bootId: 'boot',
    now: () => instant(performance.now()),
    wallTime: () => new Date().toISOString(),
  });
  const desk = await openDeskWorld(deskConfig());
  const metrics = openMetrics({ version: '1.2.3', runtime: process.version });
  const socket = join(folder, 'control.sock');
  const world = { document: statusOf(), tick: 1, made: 0 };
  const turns = openTurns();
  const server = await startHttp({
    host,
    port: 0,
    listeners: [(accept) => listenControl({ path: socket, accept })],
    status() {
      world.made += 1;
      return world.document;
    },
    ...(ticks ? { stamp: () => [world.tick] } : {}),
    turns,
    routes: [
      historyRoutes(history),
      eventRoutes(history, metrics.meters.followers, mostMissed),
      metricsRoutes(metrics),
      recordRoutes({ record: () => async () => undefined }),
      seriesRoutes((start) => seriesAt(createSeries([]), start, instant(performance.now()), Date.now())),
      pageRoutes(new Map()),
      operatorRoutes(desk.desk.commands),
      applyRoutes(async () => ({ kind: 'nothing' })),
      uplinkRoutes((uplink) => [{ service: 'web', uplink, family: 4, lines: ['announced'] }]),
    ],
    checkToken: async (sent) => ({ kind: sent === token ? 'fits' : 'differs' }),
    answered: metrics.meters.answered,
    version: '1.2.3',
  });
  return Object.assign(world, {
    server,
    port: Number(new URL(server.url).port),
    socket,
    history,
    desk,
    metrics,
    turns,
    async close() {
      await server.close();
      await desk.close();
      await history.close();
      rmSync(folder, { recursive: true, force: true });
    },
  });
}

/** Something to tell the history. */
export function event(text: string): HistoryEvent {
  return { kind: 'alarm', author: 'causeway', reason: 'rate', text, event: 'raised' };
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Path of a Unix socket; absent: over the port. */
  readonly socket?: string;
}

/** One request on a connection of its own, with just the headers that are given. */
export function ask(
  port: number,
  { method = 'GET', path, headers = {}, body, socket }: Asked,
): Promise<Answer> {
  const to = socket === undefined ? { host: '127.0.0.1', port } : { socketPath: socket };
  return new Promise((resolve, reject) => {
    const sent = request({ ...to, method, path, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Sends bytes as they are and gives back all that comes until the server hangs up; a reset is an end too. */
export function sendRaw(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
  });
}
