/**
 * Nodes of a fleet in one process, for `fleet-load`: each the real fleet part of the daemon with a config of four uplinks,
 * fed with what its ticks would have found. Arguments: `fleet` or `peer`, port, number of the first, how many, ticks a
 * second, changes an hour of each. Prints `ready` once all are heard; ends with its standard input.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pino from 'pino';
import { readConfig } from '../src/config/read.ts';
import { emptyDecideMemory } from '../src/core/decide/memory.ts';
import { monotonicNow } from '../src/daemon/clock.ts';
import { openFleet } from '../src/daemon/fleet.ts';
import { newOperatorState } from '../src/daemon/operator-state.ts';
import { holdSettings } from '../src/daemon/settings.ts';
import type { TickReport } from '../src/daemon/tick.ts';
import type { NodeConfig } from '../src/types/config.ts';
import { families } from '../src/types/units.ts';

const [kind = '', ...numbers] = process.argv.slice(2);
const [port = 0, first = 0, count = 0, ticksPerSecond = 1, changesPerHour = 0] = numbers.map(Number);
const uplinkNames = ['cmi', 'pccw', 'hkbn', 'ntt'];
const targetsPerUplink = 5;
const publishMillis = 500;
const folder = mkdtempSync(join(tmpdir(), 'causeway-crew-'));

process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
process.stdin.on('end', () => process.exit(0)).resume();

const names = Array.from({ length: count }, (_, index) => `n${first + index}`);
await Promise.all(names.map((name) => (kind === 'peer' ? openPeer(name) : openNode(name))));
process.stdout.write('ready\n');

/** The fleet part of one node, until the process ends. */
async function openNode(name: string): Promise<void> {
  const settings = holdSettings(configOf(name));
  const world = { decide: emptyDecideMemory, operator: newOperatorState() };
  const log = pino({ level: 'silent' });
  const fleet = await openFleet({ settings, world, readiness: () => new Map(), log });
  let changes = 0;
  const tick = (): void => {
    if (Math.random() < changesPerHour / 3600 / ticksPerSecond) changes += 1;
    fleet.after(reportOf(changes));
  };
  tick();
  await pause(Math.random() * publishMillis);
  setInterval(tick, 1000 / ticksPerSecond);
  while (fleet.status()?.link !== 'reading') await pause(200);
}

/** As many publications and readings, with nothing behind them: SET of a presence and GET of one, on one connection. */
async function openPeer(name: string): Promise<void> {
  const client = new Redis({ host: '127.0.0.1', port, enableOfflineQueue: true });
  const text = JSON.stringify({ node: name, text: 'x'.repeat(peerBytes()) });
  await pause(Math.random() * publishMillis);
  setInterval(() => {
    void client.set(`peer:${name}`, text, 'PX', 5000);
    void client.get('peer:n0');
  }, publishMillis);
  await client.ping();
}

/** As long as a presence of the config below. */
function peerBytes(): number {
  return uplinkNames.length * families.length * (170 + targetsPerUplink * 95);
}

function reportOf(changes: number): TickReport {
  const announcements = uplinkNames.flatMap((uplink, index) =>
    families.map((family) => ({
      service: 'web',
      uplink,
      family,
      state: index === 0 && changes % 2 === 1 ? ('drain' as const) : ('announce' as const),
      reason: 'healthy' as const,
      text: 'loss 0 %',
      author: 'causeway',
      held: null,
    })),
  );
  const at = monotonicNow();
  return {
    at,
    view: {
      kind: 'unreachable',
      readAt: at,
      path: '/run/bird/bird.ctl',
      code: 'ENOENT',
      text: 'no BIRD here',
    },
    health: [],
    wish: { announcements, egress: [] },
    protocols: new Map(),
    file: { kind: 'as-wished' },
    plan: { steps: [], missing: [] },
    results: [],
  };
}

function configOf(name: string): NodeConfig {
  const uplinks = uplinkNames.map((uplink, index) => [
    uplink,
    {
      carrier: uplink,
      interface: uplink,
      source: [`198.18.${index}.2`, `2001:db8:ff0${index}::2`],
      peer: { asn: 64_500 + index, address: [`198.18.${index}.1`, `2001:db8:ff0${index}::1`] },
      targets: Array.from({ length: targetsPerUplink }, (_, target) => ({
        name: `t-${target}`,
        region: 'ID',
        ping: [`198.51.100.${target + 1}`, `2001:db8:62::${target + 1}`],
      })),
    },
  ]);
  const text = JSON.stringify({
    mode: 'live',
    node: { name, site: 'hkg', asn: 65_001, router_id: '10.255.0.1' },
    bird: { socket: '/run/bird/bird.ctl', config: '/etc/bird/causeway/causeway.conf' },
    services: { web: { prefixes: ['203.0.113.0/24', '2001:db8:a::/48'] } },
    uplinks: Object.fromEntries(uplinks),
    fleet: { redis: `redis://127.0.0.1:${port}`, publish: `${publishMillis}ms` },
    paths: { state: join(folder, name), control: join(folder, `${name}.sock`) },
  });
  const read = readConfig('crew.yaml', text);
  if (read.kind === 'bad') throw new Error(read.problems.map((problem) => problem.text).join('\n'));
  return read.config;
}

function pause(forMillis: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, forMillis);
  });
}
