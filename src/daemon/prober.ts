/**
 * Starts the prober process, watches it, and starts it again. Silence is never a verdict: while the prober is silent
 * or away there are no samples, and health becomes `unknown` by itself.
 *
 *   starting ──first message──▶ running ──2 s without one──▶ silent ──6 s──▶ killed
 *       ▲                        │   ▲                         │               │
 *       │                        │   └─────── a message ───────┘               │
 *       └──0.2 s…10 s── restarting ◀──────────── it ended ─────────────────────┘
 *   unable: it runs and says why it cannot probe; `ready` ends that.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { smallHeapFlags } from './small-heap.ts';
import { messageOf } from '../types/message-of.ts';
import type { ProbeEngine, ProbeTask, ProberCommand, ProberMessage } from '../types/outcome.ts';
import { type Instant, type Millis, instant, millis } from '../types/units.ts';
import { unreachable } from '../types/unreachable.ts';

type SamplesMessage = Extract<ProberMessage, { readonly kind: 'samples' }>;

export type ProberState =
  | { readonly kind: 'starting' }
  | {
      readonly kind: 'running';
      readonly pid: number;
      /** What sends ICMP: `icmp-socket` or `net-ping`. */
      readonly engine: string;
      readonly rssBytes: number;
      /** Since the process started. */
      readonly cpuMicros: number;
      readonly lagMillis: Millis;
      /** Late, duplicate and foreign replies since the process started. */
      readonly strays: number;
    }
  | { readonly kind: 'silent'; readonly pid: number; readonly since: Instant }
  | {
      readonly kind: 'restarting';
      readonly attempt: number;
      readonly inMillis: Millis;
      /** How the last process ended. */
      readonly why: string;
    }
  | { readonly kind: 'unable'; readonly code: string; readonly text: string };

export interface ProberOptions {
  /** The compiled `probes/prober.js`. */
  readonly entry: URL | string;
  readonly tasks: readonly ProbeTask[];
  /** Default: the kernel's own sockets. Another one takes a new process. */
  readonly engine?: ProbeEngine;
  onSamples(message: SamplesMessage): void;
  /** Called with each message and each change, so that the caller always has the newest figures. */
  onState(state: ProberState): void;
}

export interface ProberHandle {
  setTasks(tasks: readonly ProbeTask[]): void;
  /** Interfaces, addresses or routes changed: everything that the prober knows of them is looked at again. */
  linkChanged(): void;
  /** Ends the process, by force after a second. Nothing is called back afterwards. */
  stop(): Promise<void>;
  state(): ProberState;
}

const silentMillis = 2000;
const killMillis = 6000;
/** A cold start of Node on a busy machine takes longer than a heartbeat. */
const startMillis = 15_000;
const watchMillis = 250;
const stopMillis = 1000;
const firstBackOffMillis = 200;
const lastBackOffMillis = 10_000;
/** A process that ran this long was well: the next restart is quick again. */
const wellMillis = 30_000;

interface Supervision {
  readonly options: ProberOptions;
  tasks: readonly ProbeTask[];
  plan: number;
  child: ChildProcess | null;
  state: ProberState;
  startedAt: Instant;
  /** Of the present process; null before its first message. */
  heardAt: Instant | null;
  /** What the present process last said of its ability to probe. */
  ability: Exclude<ProberMessage, SamplesMessage> | null;
  strays: number;
  watchedAt: Instant;
  attempt: number;
  restart: NodeJS.Timeout | null;
  watch: NodeJS.Timeout | null;
  stopping: boolean;
}

/** Never throws; what goes wrong is in the state. `onState` is called before it returns. */
export function startProber(options: ProberOptions): ProberHandle {
  const now = monotonicNow();
  const supervision: Supervision = {
    options,
    tasks: options.tasks,
    plan: 0,
    child: null,
    state: { kind: 'starting' },
    startedAt: now,
    heardAt: null,
    ability: null,
    strays: 0,
    watchedAt: now,
    attempt: 0,
    restart: null,
    watch: null,
    stopping: false,
  };
  launch(supervision);
  // Timers run before messages are read: after a stall of our own, what waits is read before silence is judged.
  supervision.watch = setInterval(() => setImmediate(() => watch(supervision)), watchMillis);
  return {
    setTasks: (tasks) => {
      supervision.tasks = tasks;
      sendPlan(supervision);
    },
    linkChanged: () => send(supervision, { kind: 'link-changed' }),
    stop: () => stop(supervision),
    state: () => supervision.state,
  };
}

function monotonicNow(): Instant {
  const [seconds, nanos] = process.hrtime();
  return instant(seconds * 1e3 + nanos / 1e6);
}

function launch(supervision: Supervision): void {
  const { entry, engine = 'icmp-socket' } = supervision.options;
  supervision.restart = null;
  supervision.startedAt = monotonicNow();
  supervision.heardAt = null;
  supervision.ability = null;
  supervision.strays = 0;
  let child: ChildProcess;
  try {
    child = fork(typeof entry === 'string' ? entry : fileURLToPath(entry), [engine], {
      execArgv: [...process.execArgv, ...smallHeapFlags],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
  } catch (error) {
    ended(supervision, messageOf(error));
    return;
  }
  supervision.child = child;
  change(supervision, { kind: 'starting' });
  child.on('message', (message) => {
    // JSON of our own prober over a channel that nobody else holds.
    if (supervision.child === child && !supervision.stopping) hear(supervision, message as ProberMessage);
  });
  const over = (why: string): void => {
    if (supervision.child !== child) return;
    supervision.child = null;
    ended(supervision, why);
  };
  child.once('error', (error) => over(error.message));
  child.once('exit', (code, signal) => over(signal === null ? `exit code ${code}` : `signal ${signal}`));
  sendPlan(supervision);
}

function change(supervision: Supervision, state: ProberState): void {
  supervision.state = state;
  if (!supervision.stopping) supervision.options.onState(state);
}

function sendPlan(supervision: Supervision): void {
  supervision.plan += 1;
  send(supervision, { kind: 'plan', plan: supervision.plan, tasks: supervision.tasks });
}

/** A process that is gone gets the whole plan when the next one starts, so nothing is queued for it. */
function send(supervision: Supervision, command: ProberCommand): void {
  const { child } = supervision;
  if (child !== null && child.connected) child.send(command, () => undefined);
}

function hear(supervision: Supervision, message: ProberMessage): void {
  supervision.heardAt = monotonicNow();
  switch (message.kind) {
    case 'ready':
    case 'unable':
      supervision.ability = message;
      change(supervision, ableState(supervision, null));
      return;
    case 'samples':
      supervision.strays += message.strays;
      change(supervision, ableState(supervision, message));
      // Ids of an earlier plan may mean other streams in this one.
      supervision.options.onSamples(
        message.plan === supervision.plan ? message : { ...message, samples: [] },
      );
      return;
    default:
      unreachable(message);
  }
}

/** The state of a process that is heard; before its self-test it is still starting. */
function ableState(supervision: Supervision, latest: SamplesMessage | null): ProberState {
  const { ability, strays } = supervision;
  if (ability === null) return { kind: 'starting' };
  if (ability.kind === 'unable') return { kind: 'unable', code: ability.code, text: ability.text };
  return {
    kind: 'running',
    pid: ability.pid,
    engine: ability.engine,
    rssBytes: latest?.rssBytes ?? 0,
    cpuMicros: latest?.cpuMicros ?? 0,
    lagMillis: latest?.lagMillis ?? millis(0),
    strays,
  };
}

function watch(supervision: Supervision): void {
  const now = monotonicNow();
  const ownDelay = now - supervision.watchedAt - watchMillis;
  supervision.watchedAt = now;
  const { child, heardAt } = supervision;
  // Our own stall explains a silence as well as the prober's would; the next look decides.
  if (child === null || supervision.stopping || ownDelay > silentMillis / 2) return;
  const quietMillis = now - (heardAt ?? supervision.startedAt);
  const limitMillis = heardAt === null ? startMillis : killMillis;
  if (quietMillis >= limitMillis) child.kill('SIGKILL');
  else if (heardAt !== null && quietMillis >= silentMillis) {
    change(supervision, { kind: 'silent', pid: child.pid ?? 0, since: heardAt });
  }
}

function ended(supervision: Supervision, why: string): void {
  if (supervision.stopping) return;
  const wasWell = supervision.heardAt !== null && monotonicNow() - supervision.startedAt >= wellMillis;
  supervision.attempt = wasWell ? 1 : supervision.attempt + 1;
  const backOff = firstBackOffMillis * 2 ** Math.min(supervision.attempt - 1, 10);
  const inMillis = millis(Math.min(lastBackOffMillis, backOff));
  supervision.restart = setTimeout(() => launch(supervision), inMillis);
  change(supervision, { kind: 'restarting', attempt: supervision.attempt, inMillis, why });
}

async function stop(supervision: Supervision): Promise<void> {
  supervision.stopping = true;
  if (supervision.restart !== null) clearTimeout(supervision.restart);
  if (supervision.watch !== null) clearInterval(supervision.watch);
  const { child } = supervision;
  if (child === null || child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  send(supervision, { kind: 'stop' });
  const force = setTimeout(() => child.kill('SIGKILL'), stopMillis);
  await gone;
  clearTimeout(force);
}
