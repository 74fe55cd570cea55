/**
 * The operators' desk as the daemon has it, on a state folder of its own, with three healthy uplinks decided already;
 * served on a real socket and port. Clocks stand where the test puts them.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { checkToken } from '../../src/adapters/token-file.ts';
import { runProgram } from '../../src/cli/program.ts';
import { loadConfig } from '../../src/config/load.ts';
import { explainConfig } from '../../src/config/explain.ts';
import { decide } from '../../src/core/decide/decide.ts';
import { emptyDecideMemory } from '../../src/core/decide/memory.ts';
import { openFreezeFile } from '../../src/daemon/freeze-file.ts';
import { openCalendar } from '../../src/daemon/maintenance.ts';
import { newOperatorState } from '../../src/daemon/operator-state.ts';
import type { OperatorScene } from '../../src/daemon/operator-scene.ts';
import { operatorWords } from '../../src/daemon/operator-words.ts';
import { openDesk, type OperatorDesk } from '../../src/daemon/operators.ts';
import { openOverrideStore } from '../../src/daemon/override-store.ts';
import { openReloader } from '../../src/daemon/reload.ts';
import { holdSettings, type SettingsHolder } from '../../src/daemon/settings.ts';
import { listenControl } from '../../src/host/control-socket.ts';
import { operatorRoutes } from '../../src/http/operator-routes.ts';
import { type HttpServer, startHttp } from '../../src/http/server.ts';
import type { NodeConfig } from '../../src/types/config.ts';
import type { HistoryEvent } from '../../src/types/history.ts';
import type { Wish } from '../../src/types/wish.ts';
import { instant } from '../../src/types/units.ts';
import { statusOf } from '../unit/host-node.ts';
import { nodeWith } from './node-config.ts';
import { type Fact, inputAt } from './world.ts';

export interface DeskWorld {
  readonly folder: string;
  /** The config file, which names the socket. */
  readonly file: string;
  readonly desk: OperatorDesk;
  readonly scene: OperatorScene;
  readonly settings: SettingsHolder;
  readonly server: HttpServer;
  readonly told: readonly HistoryEvent[];
  /** Wall and monotonic time, in ms since it was opened. */
  readonly clock: { wallMillis: number; monotonicMillis: number };
  /** A round of the daemon without BIRD: the desk, then a decision. */
  round(): Promise<Wish>;
  close(): Promise<void>;
}

const begin = Date.parse('2026-11-30T00:00:00Z');

export async function openDeskWorld(
  config: NodeConfig,
  facts: Readonly<Record<string, Fact>> = {
    cmi: { health: 'healthy' },
    pccw: { health: 'healthy' },
    hkbn: { health: 'healthy' },
  },
  folder = mkdtempSync(join(tmpdir(), 'causeway-desk-')),
): Promise<DeskWorld> {
  const file = join(folder, 'causeway.yaml');
  const paths = { state: join(folder, 'state'), control: join(folder, 'control.sock') };
  const settings = holdSettings({ ...config, paths: { ...config.paths, ...paths } });
  writeFileSync(file, explainConfig(settings.now().config));
  const loaded = await loadConfig(file);
  if (loaded.kind === 'bad') throw new Error(loaded.problems.map(({ text }) => text).join('\n'));
  const told: HistoryEvent[] = [];
  const words = operatorWords(pino({ level: 'silent' }), (event) => told.push(event));
  const store = openOverrideStore(paths.state);
  const kept = await store.load();
  const clock = { wallMillis: 0, monotonicMillis: 0 };
  const world = {
    overrides: kept.overrides,
    released: kept.released,
    decide: emptyDecideMemory,
    operator: newOperatorState(),
  };
  const scene: OperatorScene = {
    config: () => settings.now().config,
    world,
    store,
    freezeFile: openFreezeFile(paths.state),
    calendar: openCalendar(() => settings.now().config.maintenance),
    words,
    now: () => instant(clock.monotonicMillis),
    wallTime: () => new Date(begin + clock.wallMillis).toISOString(),
  };
  const desk = openDesk(scene, openReloader(file, settings, words));
  const round = async (): Promise<Wish> => {
    await desk.attend();
    const { operator } = world;
    const overrides = [...world.overrides, ...operator.maintenance];
    const asked = inputAt(clock.monotonicMillis / 1000, facts, { overrides, freeze: operator.freeze });
    operator.decided = asked;
    const { wish, memory } = decide(asked, world.decide);
    world.decide = memory;
    return wish;
  };
  await round();
  desk.queue.onCommand(() => void round());
  const server = await startHttp({
    host: '127.0.0.1',
    port: 0,
    listeners: [(accept) => listenControl({ path: paths.control, accept })],
    status: () => statusOf(),
    routes: [operatorRoutes(desk.commands)],
    checkToken: (token) => checkToken(settings.now().config.http.tokenFile, token),
  });
  return {
    folder,
    file,
    desk,
    scene,
    settings,
    server,
    told,
    clock,
    round,
    async close() {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** One whose printed form loads again: the nodes of other tests have no targets. */
export function deskConfig(): NodeConfig {
  const config = nodeWith(['cmi', 'pccw', 'hkbn']);
  const targets = ['198.51.100.1', '198.51.100.2', '198.51.100.3'].map((address, index) => ({
    ...({ name: `t-${index}`, region: 'ID', family: 4, address, ping: true, tcpPort: null } as const),
  }));
  return {
    ...config,
    uplinks: config.uplinks.map((uplink, index) => ({
      ...uplink,
      interface: `eth${index}`,
      source: { 4: `192.0.2.${index * 4 + 2}` },
      peer: { ...uplink.peer, address: { 4: `192.0.2.${index * 4 + 1}` } },
      gateway: { 4: `192.0.2.${index * 4 + 1}` },
      table: 1001 + index,
      egressTable: 2001 + index,
      targets,
    })),
  };
}

/** Runs a command line against the desk's socket. */
export async function runOn({ file }: DeskWorld, ...words: readonly string[]) {
  const said = { out: [] as string[], err: [] as string[], code: 0 };
  const [command = '', ...rest] = words;
  await runProgram([command, ...rest, '-c', file], {
    answer: (text) => said.out.push(text),
    complain: (text) => said.err.push(text),
    end: (code) => {
      said.code = code;
    },
  });
  return { out: said.out.join('\n'), err: said.err.join('\n'), code: said.code };
}
