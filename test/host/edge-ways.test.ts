/** Origins over uplinks: the address that a connection leaves from is that of an uplink that is up (edge/lua/edge/ways.lua). */
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePorts } from '../../edge/lab/process.ts';
import { get, snapshot, startEdge, users } from '../support/edge.ts';
import type { Edge } from '../support/edge.ts';

/** Of the node's uplinks; all of 127/8 is there, 192.0.2.77 is not. */
const sources = { cmi: '127.0.0.21', pccw: '127.0.0.22', gone: '192.0.2.77' };

describe('origins over uplinks', () => {
  const servers: Server[] = [];
  const ports: number[] = [];
  let edge: Edge;
  let dead = 0;
  /** Says who asks, by which connection, and is asked over connections that are kept. */
  const startOrigin = async (address: string): Promise<void> => {
    const server = createServer((request, response) => response.end(request.socket.remoteAddress));
    await new Promise<void>((resolve) => void server.listen(0, address, resolve));
    const bound = server.address();
    servers.push(server);
    ports.push(typeof bound === 'object' && bound ? bound.port : 0);
  };

  beforeAll(async () => {
    await startOrigin('127.0.0.1');
    await startOrigin('::1');
    [dead = 0] = await freePorts(1);
    edge = await startEdge(({ port }) => ({
      uplinks: Object.fromEntries(
        Object.entries(sources).map(([name, source]) => [name, { source: [source] }]),
      ),
      origins: { app: { servers: [{ address: '127.0.0.1', port: ports[0] }] } },
      servers: {
        www: {
          names: ['www.example.test'],
          listen: [`127.0.0.1:${port}`],
          locations: [{ path: '/', origin: 'app' }],
        },
      },
    }));
  });
  afterAll(async () => {
    await edge.stop();
    for (const server of servers) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  interface Told {
    readonly address?: string;
    readonly port?: number;
    readonly carriers?: readonly string[];
    readonly weight?: number;
  }
  const tell = async (
    uplinks: Readonly<Record<string, boolean | number>>,
    origins: readonly Told[] = [{}],
  ): Promise<void> => {
    const app = origins.map((one) => ({ address: '127.0.0.1', port: ports[0] ?? 0, up: true, ...one }));
    const answer = await edge.put(
      snapshot({ hk1: { carriers: uplinks } }, { origins: { app: app as never } }),
    );
    expect(answer.status).toBe(200);
  };
  /** Addresses that the origin saw over some requests, at both workers and over kept connections. */
  const seen = async (client = users.ct): Promise<readonly string[]> => {
    const bodies = new Set<string>();
    for (let i = 0; i < 12; i += 1) {
      const { status, body } = await get(edge.port, { client });
      bodies.add(status === 200 ? body : String(status));
    }
    return [...bodies];
  };

  test('before the daemon has spoken, no connection is bound', async () => {
    expect(await seen()).toEqual(['127.0.0.1']);
  });

  test('it leaves by the best uplink that is up, and by another one at once when that one is down', async () => {
    await tell({ cmi: 90, pccw: 40 });
    expect(await seen()).toEqual(['127.0.0.21']);
    await tell({ cmi: false, pccw: 40 });
    expect(await seen()).toEqual(['127.0.0.22']);
    await tell({ cmi: 90, pccw: 40 });
    expect(await seen()).toEqual(['127.0.0.21']);
    await edge.counted('edge_origin_bound_total{pool="app",uplink="pccw"}', 12);
  });

  test('an origin is reached over a carrier over which it answers', async () => {
    await tell({ cmi: 90, pccw: 40 }, [{ carriers: ['pccw'] }]);
    expect(await seen()).toEqual(['127.0.0.22']);
  });

  test('when no uplink is up, or none has an address of the origin’s family, the kernel decides', async () => {
    await tell({ cmi: false, pccw: false });
    expect(await seen()).toEqual(['127.0.0.1']);
    await tell({ cmi: 90 }, [{ address: '::1', port: ports[1] ?? 0 }]);
    expect(await seen()).toEqual(['::1']);
  });

  test('an address that the node does not have is not bound to, and costs nobody a 500', async () => {
    await tell({ gone: 99, cmi: 90 });
    expect(await seen()).toEqual(['127.0.0.21']);
    await tell({ gone: 99 });
    expect(await seen()).toEqual(['127.0.0.1']);
  });

  test('a second try leaves by the same uplink, at an origin of the same family', async () => {
    await tell({ cmi: 90 }, [
      { port: dead, weight: 1000 },
      { address: '::1', port: ports[1] ?? 0, weight: 1000 },
      { weight: 1 },
    ]);
    const bodies = await seen();
    expect(bodies.filter((body) => body !== '::1')).toEqual(['127.0.0.21']);
  });

  test('after all that the log holds nothing but the tries at the dead one', () => {
    expect(edge.troubles().filter((line) => !line.includes('Connection refused'))).toEqual([]);
  });
});
