/**
 * The prober process: started by the daemon with an IPC channel, it takes plans and sends outcomes. It has a process
 * of its own because the daemon's busy moments would otherwise read as loss. It holds no opinion about any uplink,
 * and ends by itself when the channel closes.
 */
import { messageOf } from '../src/types/message-of.ts';
import type { ProbeEngine, ProbeTask, ProberCommand, ProberMessage } from '../src/types/outcome.ts';
import { type Family, families, millis } from '../src/types/units.ts';
import { unreachable } from '../src/types/unreachable.ts';
import { monotonicNow } from './clock.ts';
import type * as EngineModule from './engine.ts';
import type { Engine } from './engine.ts';
import type { SelfTest } from './self-test.ts';

/** The daemon names the engine when it starts us. */
const chosen = process.argv[2] ?? 'icmp-socket';
const batchMillis = 100;
const memoryMillis = 1000;
const retestMillis = 5000;
/** Batches that the daemon has not taken yet; beyond it we keep what is decided until it does. */
const mostUnsent = 10;

interface Prober {
  readonly name: ProbeEngine;
  readonly engine: Engine;
  readonly test: (family: Family) => Promise<SelfTest>;
  readonly verdicts: Map<Family, SelfTest>;
  plan: number | null;
  tasks: readonly ProbeTask[];
  told: 'nothing' | 'ready' | 'unable';
  testing: boolean;
  unsent: number;
  rssAt: number;
  rssBytes: number;
}

function post(message: ProberMessage, done: () => void = () => undefined): void {
  if (process.connected) process.send?.(message, undefined, undefined, done);
}

/** A library that cannot be loaded is an answer, not a crash: the daemon shows it and the operator can mend it. */
async function start(): Promise<void> {
  try {
    const { makeEngine } = await import('./engine.ts');
    const { testFamily } = await import('./self-test.ts');
    if (chosen === 'net-ping') await startNetPing(makeEngine);
    else run('icmp-socket', makeEngine(), testFamily);
  } catch (error) {
    const text = messageOf(error);
    giveUp(
      `the prober's socket library does not load (${text}): reinstall causeway for this machine's platform`,
    );
  }
}

/** It has no self-test: a raw socket that is refused is told by each probe, with its errno. */
async function startNetPing(makeEngine: typeof EngineModule.makeEngine): Promise<void> {
  const { loadNetPing } = await import('./net-ping-module.ts');
  const { makeNetPing } = await import('./net-ping.ts');
  let module: Awaited<ReturnType<typeof loadNetPing>>;
  try {
    module = await loadNetPing();
  } catch (error) {
    giveUp(messageOf(error));
    return;
  }
  run('net-ping', makeEngine(makeNetPing(module)), () => Promise.resolve({ kind: 'passed' }));
}

function giveUp(text: string): void {
  post({ kind: 'unable', code: 'engine', text });
  setInterval(beatEmpty, batchMillis);
}

function run(name: ProbeEngine, engine: Engine, test: Prober['test']): void {
  const prober: Prober = {
    name,
    engine,
    test,
    verdicts: new Map(),
    plan: null,
    tasks: [],
    told: 'nothing',
    testing: false,
    unsent: 0,
    rssAt: Number.NEGATIVE_INFINITY,
    rssBytes: 0,
  };
  // Plans are JSON of the daemon's own making, over a channel that only it holds.
  process.on('message', (command) => obey(prober, command as ProberCommand));
  setInterval(() => beat(prober), batchMillis);
  setInterval(() => void retest(prober), retestMillis);
}

function obey(prober: Prober, command: ProberCommand): void {
  switch (command.kind) {
    case 'plan':
      beat(prober);
      prober.plan = command.plan ?? 0;
      prober.tasks = command.tasks;
      prober.engine.plan(command.tasks);
      void retest(prober);
      return;
    case 'link-changed':
      prober.engine.linkChanged();
      return;
    case 'stop':
      prober.engine.close();
      process.exit(0);
      break;
    default:
      unreachable(command);
  }
}

/** Sends what has been decided; an empty batch is the heartbeat. */
function beat(prober: Prober): void {
  const now = monotonicNow();
  if (prober.unsent >= mostUnsent) return;
  const harvest = prober.engine.harvest();
  if (now - prober.rssAt >= memoryMillis) {
    prober.rssBytes = process.memoryUsage.rss();
    prober.rssAt = now;
  }
  const cpu = process.cpuUsage();
  prober.unsent += 1;
  const head = prober.plan === null ? {} : { plan: prober.plan };
  const own = { rssBytes: prober.rssBytes, cpuMicros: cpu.user + cpu.system };
  post({ kind: 'samples', ...head, at: now, ...harvest, ...own }, () => {
    prober.unsent -= 1;
  });
}

/** The heartbeat of a prober that cannot probe: it is there and says `unable`, and a restart would not mend it. */
function beatEmpty(): void {
  const cpu = process.cpuUsage();
  const own = { rssBytes: process.memoryUsage.rss(), cpuMicros: cpu.user + cpu.system };
  post({ kind: 'samples', at: monotonicNow(), samples: [], strays: 0, lagMillis: millis(0), ...own });
}

/** Tests the families that the plan pings and that have not passed, and tells the daemon when the answer changes. */
async function retest(prober: Prober): Promise<void> {
  if (prober.plan === null || prober.testing) return;
  prober.testing = true;
  for (let plan: number | null = null; plan !== prober.plan; ) {
    plan = prober.plan;
    for (const family of families) await retestFamily(prober, family);
  }
  prober.testing = false;
  tell(prober);
}

async function retestFamily(prober: Prober, family: Family): Promise<void> {
  const needed = prober.tasks.some((task) => task.kind === 'icmp' && task.family === family);
  const passed = prober.verdicts.get(family)?.kind === 'passed';
  if (!needed && !passed) prober.verdicts.delete(family);
  if (!needed || passed) return;
  const verdict = await prober.test(family);
  prober.verdicts.set(family, verdict);
  prober.engine.allowIcmp(family, verdict.kind === 'passed');
}

function tell(prober: Prober): void {
  const first = [...prober.verdicts.values()].find((verdict) => verdict.kind === 'failed');
  if (first !== undefined) {
    if (prober.told !== 'unable') post({ kind: 'unable', code: first.code, text: first.text });
    prober.told = 'unable';
    return;
  }
  if (prober.told !== 'ready') post({ kind: 'ready', engine: prober.name, pid: process.pid });
  prober.told = 'ready';
}

process.on('disconnect', () => process.exit(0));
// The daemon decides when we stop; a Ctrl-C in its terminal reaches the whole process group.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
if (process.connected) void start();
