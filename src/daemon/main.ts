/**
 * The composition root: what `causeway run` starts, in which order, and how it ends. It ends without touching BIRD
 * (`on_stop: keep`); crash and kill leave the same.
 */
import { pino, type Logger } from 'pino';
import { openClient } from '../../bird/client.ts';
import { checkpoint } from '../core/health/checkpoint.ts';
import { createHealth } from '../core/health/create-health.ts';
import { restoreHealth } from '../core/health/restore-health.ts';
import { listenControl } from '../host/control-socket.ts';
import { type HttpServer, startHttp } from '../http/server.ts';
import type { NodeConfig } from '../types/config.ts';
import type { ProbeTask } from '../types/outcome.ts';
import { type Millis, millis } from '../types/units.ts';
import { adoptHands, adoptStanding } from './adopt.ts';
import { Alarms } from './alarms.ts';
import { openStateFolder, type StateFolder } from './checkpoint.ts';
import { monotonicNow, wallTimeNow } from './clock.ts';
import { type FileKeeper, keepFile } from './file-keeper.ts';
import { Narrator } from './narrator.ts';
import { proberStatus } from './prober-status.ts';
import { type Probing, startProbing } from './probing.ts';
import { statusDocumentOf } from './status-document.ts';
import { tasksOf } from './tasks.ts';
import { tick, type TickReport, type TickTools, type World } from './tick.ts';

const tickMillis = 200;
/** After a command, the next look comes at once: what BIRD then shows is the read-back. */
const lookAgainMillis = 10;
const checkpointEveryMillis = 1000;
/** A BIRD that does not answer within this is unreachable for now. */
const birdTimeoutMillis = 1000;

/** Runs until `stop` is aborted. Throws for bugs, and for what makes a start impossible (its own port taken). */
export async function runDaemon(config: NodeConfig, stop: AbortSignal, log: Logger = pino()): Promise<void> {
  const tasks = tasksOf(config);
  const folder = openStateFolder(config.paths.state, (text, error) => log.error({ err: error }, text));
  const file = keepFile(config.bird.config);
  const world = await adoptWorld(config, tasks, folder, file);
  const client = openClient({ path: config.bird.socket, timeoutMillis: birdTimeoutMillis });
  const narrator = new Narrator(log);
  const alarms = new Alarms(log);
  const tools: TickTools = {
    config,
    waitMillis: waitOf(config),
    client,
    file,
    narrator,
    alarms,
    now: monotonicNow,
    wallTime: wallTimeNow,
    saveOverrides: (overrides) => folder.saveOverrides(overrides),
  };
  const last: { report: TickReport | null } = { report: null };
  const probing = startProbing(config, tasks, log);
  try {
    const http = await serve(tools, world, probing, last);
    const { name: node } = config.node;
    log.info(
      { node, mode: config.mode, status: `${http.url}/v1/status`, probes: tasks.length },
      'causeway runs',
    );
    await tickUntil(stop, tools, world, probing, folder, last);
    log.info('causeway stops; BIRD stays as it is');
    await http.close();
  } finally {
    client.close();
    await probing.stop();
  }
}

async function tickUntil(
  stop: AbortSignal,
  tools: TickTools,
  world: World,
  probing: Probing,
  folder: StateFolder,
  last: { report: TickReport | null },
): Promise<void> {
  let savedAt = 0;
  while (!stop.aborted) {
    const began = monotonicNow();
    last.report = await tick(tools, world, probing.take());
    if (began - savedAt >= checkpointEveryMillis) {
      savedAt = began;
      const { decide, look } = world;
      await folder.saveCheckpoint({ health: checkpoint(world.health), decide, look });
    }
    const rest = world.switched.size > 0 ? lookAgainMillis : tickMillis - (monotonicNow() - began);
    await pause(Math.max(lookAgainMillis, rest), stop);
  }
}

function serve(
  { config, alarms, narrator }: TickTools,
  world: World,
  probing: Probing,
  last: { readonly report: TickReport | null },
): Promise<HttpServer> {
  const startedAt = wallTimeNow();
  return startHttp({
    ...config.http,
    listeners: [(accept) => listenControl({ path: config.paths.control, accept })],
    status: () =>
      statusDocumentOf({
        config,
        startedAt,
        now: monotonicNow(),
        report: last.report,
        links: probing.links(),
        notRun: probing.notRun,
        prober: proberStatus(probing.prober()),
        alarms: alarms.list(),
        overrides: world.overrides,
        transitions: narrator.transitions(),
        actions: narrator.actions(),
      }),
  });
}

/** What is found and remembered; nothing in it makes a change by itself. */
async function adoptWorld(
  config: NodeConfig,
  tasks: readonly ProbeTask[],
  folder: StateFolder,
  file: FileKeeper,
): Promise<World> {
  await file.look();
  const saved = await folder.loadCheckpoint();
  const overrides = adoptHands(config, file.states(), await folder.loadOverrides(), wallTimeNow());
  const now = monotonicNow();
  return {
    health: restoreHealth(saved.health, tasks, config.policy, now) ?? createHealth(tasks, config.policy, now),
    decide: adoptStanding(config, file.states(), saved.decide),
    overrides,
    look: saved.look,
    switched: new Set(),
    ended: new Map(),
    sessions: new Map(),
    behindSince: null,
  };
}

/** How long a failed uplink waits for the others: patience + timeout + 1 s, of the slowest probes. */
function waitOf(config: NodeConfig): Millis {
  const timeout = Math.max(...config.uplinks.map((uplink) => uplink.probe.timeoutMillis));
  return millis(config.policy.patienceMillis + timeout + 1000);
}

function pause(waitMillis: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      stop.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, waitMillis);
    stop.addEventListener('abort', done);
  });
}
