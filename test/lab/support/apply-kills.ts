/** kill -9 of the process that applies, at random moments of apply and of withdraw, and what is there afterwards. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { carrierNames } from '../../../lab/network/names.ts';
import type { Network } from '../../../lab/network/network.ts';
import { tryRun } from '../../../lab/network/command.ts';
import { startIn, stopPidFile } from '../../../lab/network/process.ts';
import { waitUntil } from '../../../lab/network/wait.ts';
import { askNodeBird, startNodeBird, stopNodeBird } from '../../../lab/node/bird.ts';
import { nodeFiles } from '../../../lab/node/config.ts';
import type { Lab } from '../../../lab/node/lab.ts';
import { readStatus, startDaemon, stopDaemon } from '../../../lab/node/program.ts';
import { messageOf } from '../../../src/types/message-of.ts';
import { families } from '../../../src/types/units.ts';
import { causewayLine, editConfig, expectOneBase } from './apply-lab.ts';

export interface Storm {
  readonly kills: number;
  readonly seed: number;
  /** Binary of the node's BIRD. */
  readonly bird?: string;
}

/** Each round changes every MED, or the override on cmi, or both; and kills the daemon, or the command that is alone. */
export async function killStorm(lab: Lab, { kills, seed, bird }: Storm): Promise<void> {
  const random = randomFrom(seed);
  for (let round = 1; round <= kills; round += 1) {
    const what = pick(random, ['apply', 'apply', 'alone', 'withdraw', 'both'] as const);
    const meanwhile = pick(random, ['nothing', 'nothing', 'configure', 'crash'] as const);
    const afterMillis = Math.floor(random() * (what === 'withdraw' ? 150 : 2500));
    const text = `round ${round} of seed ${seed}: ${what}, kill after ${afterMillis} ms, ${meanwhile}`;
    try {
      await strike(lab.network, what, round, afterMillis);
      await happen(lab.network, meanwhile, bird);
      await startDaemon(lab.network);
      await expectRight(lab);
    } catch (error) {
      const why = messageOf(error);
      const log = readFileSync(nodeFiles(lab.network).daemonLog, 'utf8').split('\n').slice(-8).join('\n');
      throw new Error(`${text}: ${why}\n${log}`, { cause: error });
    }
  }
}

type Strike = 'apply' | 'alone' | 'withdraw' | 'both';

async function strike(network: Network, what: Strike, round: number, afterMillis: number): Promise<void> {
  if (what !== 'withdraw')
    editConfig(network, ({ uplinks }) => {
      for (const uplink of Object.values(uplinks)) uplink['med'] = 1000 + round;
    });
  if (what === 'alone') await stopDaemon(network, 'SIGKILL');
  const pidFile = join(network.folder, 'apply.pid');
  if (what !== 'withdraw')
    await startIn({
      namespace: network.namespace('node'),
      argv: causewayLine(network, ['apply', '--yes-reset', '--yes-withdraw', '--json']),
      log: join(network.folder, 'apply.log'),
      pidFile,
    });
  // The moment of the kill is what is random here; nothing is waited for.
  const before = what === 'both' ? Math.floor(afterMillis / 2) : 0;
  if (before > 0) await pause(before);
  const commanded = what === 'withdraw' || what === 'both' ? toggle(network) : null;
  await pause(afterMillis - before);
  if (what === 'alone') await stopPidFile(pidFile, 'SIGKILL');
  else await stopDaemon(network, 'SIGKILL');
  await commanded;
  // The command that asked the daemon ends by itself.
  await stopPidFile(pidFile, 'SIGTERM');
}

async function happen(
  network: Network,
  what: 'nothing' | 'configure' | 'crash',
  bird?: string,
): Promise<void> {
  switch (what) {
    case 'nothing':
      return;
    case 'configure':
      // BIRD 3 dies of two at once, and the process that was killed may have begun one.
      await waitUntil('BIRD to have settled', async () =>
        (await askNodeBird(network, 'configure status'))[0]?.startsWith('Daemon is up'),
      );
      await askNodeBird(network, 'configure');
      return;
    case 'crash':
      await stopNodeBird(network, 'SIGKILL');
      await startNodeBird(network, bird);
  }
}

/** Withdraws cmi by an override, or releases it. Whether the answer comes is another matter. */
export async function toggle(network: Network): Promise<void> {
  const status = await readStatus(network).catch(() => null);
  const selection = { uplink: 'cmi', service: null, family: null };
  const common = { selection, author: 'storm', dryRun: false };
  const isGiven = (status?.overrides ?? []).some(({ author }) => author === 'storm');
  const [path, body] = isGiven
    ? ['/v1/release', common]
    : ['/v1/overrides', { ...common, state: 'withdraw', reason: 'kill storm', ends: { kind: 'never' } }];
  await post(nodeFiles(network).control, path, body);
}

function post(socketPath: string, path: string, body: object): Promise<void> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json' };
    const sent = request({ socketPath, path, method: 'POST', agent: false, headers }, (response) => {
      response.resume();
      response.on('close', resolve);
    });
    sent.on('error', () => resolve());
    sent.end(JSON.stringify(body));
  });
}

/** One base in file and BIRD, nothing half done, and each carrier has what the wish says and the base says of it. */
export async function expectRight({ network, observer }: Lab): Promise<void> {
  const files = nodeFiles(network);
  const text = await expectOneBase(network);
  expect(existsSync(join(files.state, 'bird-applying.conf'))).toBe(false);
  // A file of the daemon that lives may be staged for a moment.
  await waitUntil('nothing but the owned file in its folder', () => {
    const names = readdirSync(dirname(files.owned));
    if (names.length === 1) return true;
    throw new Error(names.join(', '));
  });
  const { exitCode, stderr } = await tryRun('bird', ['-p', '-c', files.owned]);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  await waitUntil(
    'the carriers to hold the wish',
    async () => {
      const status = await readStatus(network);
      if (status === null) throw new Error('no status');
      const views = await observer.views();
      for (const uplink of status.uplinks) {
        const carrier = carrierNames.find((name) => name === uplink.uplink);
        if (carrier === undefined) continue;
        for (const family of families) {
          const [announcement] = uplink.families[`${family}`]?.announcements ?? [];
          const held = views[carrier].routes[family];
          const med = medIn(text, `announce_${carrier}_web${family}`);
          const isWished = announcement?.wish === 'announce' ? held?.med === med : held === null;
          if (announcement?.file !== 'as-wished' || !isWished)
            throw new Error(`${carrier}${family}: ${JSON.stringify({ announcement, held, med })}`);
        }
      }
      return true;
    },
    { timeoutMillis: 40_000, everyMillis: 100 },
  );
}

function medIn(text: string, protocol: string): number {
  const block = text.slice(text.indexOf(`protocol static ${protocol} {`));
  return Number(/causeway_med = (\d+)/.exec(block)?.[1]);
}

function pick<T>(random: () => number, from: readonly T[]): T {
  const found = from[Math.floor(random() * from.length)];
  if (found === undefined) throw new Error('nothing to pick from');
  return found;
}

/** Mulberry32: the same rounds for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
