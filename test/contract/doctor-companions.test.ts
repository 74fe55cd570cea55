/** What the doctor says of a real Redis in several moods, and of GeoDNS by its answers. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { companionChecks } from '../../src/cli/doctor-companions.ts';
import { examine } from '../../src/host/doctor.ts';
import type { NodeConfig } from '../../src/types/config.ts';
import { millis } from '../../src/types/units.ts';
import { fleetConfigAt } from '../../lab/fleet/redis-config.ts';
import { startRedis, type Redis } from '../support/redis.ts';
import { nodeConfig, uplink } from '../unit/host-node.ts';

const node = nodeConfig([uplink('cmi', 1), uplink('pccw', 2)]);

async function codes(config: NodeConfig): Promise<readonly string[]> {
  const results = await examine(companionChecks(config), null);
  return results.map(({ finding }) => ('code' in finding ? finding.code : finding.kind));
}

describe('Redis', () => {
  let redis: Redis;
  let folder: string;
  beforeAll(async () => {
    redis = await startRedis(['--requirepass', 'correct-horse']);
    folder = mkdtempSync(join(tmpdir(), 'causeway-companions-'));
  });
  afterAll(async () => {
    await redis.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('is well, refuses, or is not there', async () => {
    const passwordFile = join(folder, 'password');
    writeFileSync(passwordFile, 'correct-horse\n');
    chmodSync(passwordFile, 0o600);
    const at = (more: Parameters<typeof fleetConfigAt>[1] = {}): NodeConfig => ({
      ...node,
      fleet: fleetConfigAt(redis.port, more),
    });
    expect(await codes(at({ passwordFile }))).toEqual(['ok']);
    expect(await codes(at())).toEqual(['redis-refuses']);
    expect(await codes({ ...node, fleet: fleetConfigAt(1) })).toEqual(['redis-unreachable']);
    await redis.stop();
    expect(await codes(at({ passwordFile }))).toEqual(['redis-unreachable']);
  });
});

describe('GeoDNS', () => {
  let server: Server;
  let base: string;
  let folder: string;
  /** The answer to the token that is sent: 200 for the right one, as GeoDNS gives. */
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'causeway-geodns-token-'));
    server = createServer((request, response) => {
      response.statusCode = request.headers.authorization === 'Bearer right-token' ? 200 : 401;
      response.end('{}');
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    base = `http://127.0.0.1:${address.port}`;
  });
  afterAll(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function told(token: string, url: string): NodeConfig {
    const tokenFile = join(folder, 'token');
    writeFileSync(tokenFile, `${token}\n`);
    const times = {
      ttlMillis: millis(30_000),
      deadlineMillis: millis(60_000),
      heartbeatMillis: millis(5000),
    };
    const geodns = { urls: [url], tokenFile, caFile: null, ...times, timeoutMillis: millis(20_000) };
    return { ...node, geodns };
  }

  test('takes the token, refuses it, or is not there', async () => {
    expect((await codes(told('right-token', base)))[0]).toBe('ok');
    expect((await codes(told('wrong-token', base)))[0]).toBe('geodns-refuses');
    expect((await codes(told('right-token', 'http://127.0.0.1:1')))[0]).toBe('geodns-unreachable');
  });

  test('a region that it moves helps only where the way back moves too', async () => {
    const config = told('right-token', base);
    expect(await codes(config)).toEqual(['ok', 'return-path']);
    const services = config.services.map((service) => ({ ...service, egress: 'by-source' as const }));
    expect(await codes({ ...config, services })).toEqual(['ok', 'ok']);
  });
});
