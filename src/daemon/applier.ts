/**
 * The daemon's part in a safe apply (`bird/apply/sequence.ts`): one at a time, beside the tick, which goes on. While one
 * is between its `configure` commands, what the tick wants to send waits for its end, and makes it end: a second
 * later a withdrawal or drain goes out anyway, and again after it.
 */
import type { Logger } from 'pino';
import { readPasswords } from '../../bird/apply/passwords.ts';
import { takeLock } from '../../bird/apply/lock.ts';
import { type Recovery, recover } from '../../bird/apply/put-back.ts';
import { applyBase } from '../../bird/apply/sequence.ts';
import { applyWorld, baseWorld } from '../../bird/apply/world.ts';
import { type BirdClient } from '../../bird/client.ts';
import type { FileStates } from '../../bird/file-states.ts';
import { openBird } from '../../bird/open.ts';
import { removeStale } from '../../bird/owned-file.ts';
import { renderInStates } from '../../bird/apply/render-in-states.ts';
import type { NodeConfig } from '../types/config.ts';
import type { TellHistory } from '../types/history.ts';
import { messageOf } from '../types/message-of.ts';
import { elapsed, type Instant } from '../types/units.ts';
import type { ApplyProgress, ApplyRequest, ApplyResult } from '../types/wire/apply.ts';
import type { Alarm } from './alarms.ts';
import type { ApplyGate, Pass } from './apply-gate.ts';
import type { FileKeeper } from './file-keeper.ts';
import { applyEndText, applyEvent } from './history-words.ts';

export interface ApplierOptions {
  /** The running one. */
  readonly config: () => NodeConfig;
  readonly file: FileKeeper;
  readonly log: Logger;
  readonly tell?: TellHistory;
  readonly now: () => Instant;
  /** What the wish says under another config, for protocols that the file does not have yet. */
  readonly statesFor: (config: NodeConfig) => FileStates;
  /** `bird` to check and rehearse with. */
  readonly binary?: string;
}

/** A withdrawal that waits for the end of a window waits no longer. */
const waitMillis = 1000;
/** What could not be put back is tried again. */
const againMillis = 5000;
/** BIRD 2 answers nothing while it parses. */
const patientMillis = 10_000;
/** A command that applies alone ends within this. */
const lockWaitMillis = 100_000;

export class Applier implements ApplyGate {
  readonly #options: ApplierOptions;
  #busy = false;
  #isEnding = false;
  #stuck: { readonly problems: readonly string[]; readonly at: Instant } | null = null;
  /** Between the first `configure` of an apply and its end: the states that BIRD would go back to. */
  #window: { readonly states: FileStates; hurriedAt: Instant | null } | null = null;

  constructor(options: ApplierOptions) {
    this.#options = options;
  }

  pass(wants: boolean): Pass {
    const window = this.#window;
    if (window === null) return 'all';
    const { now, file } = this.#options;
    if (!wants && sameStates(window.states, file.states())) return 'all';
    window.hurriedAt ??= now();
    return elapsed(window.hurriedAt, now()) < waitMillis ? 'nothing' : 'urgent';
  }

  /** Applies the base of this config. */
  async apply(
    config: NodeConfig,
    request: ApplyRequest,
    say: (progress: ApplyProgress) => void,
  ): Promise<ApplyResult> {
    const { log } = this.#options;
    const isObserving = this.#options.config().mode === 'observe' || config.mode === 'observe';
    if (isObserving && !request.dryRun)
      return refused('mode is observe: it writes no file of BIRD’s; `mode: live` acts');
    if (this.#isEnding) return refused('the daemon stops');
    if (this.#busy) return refused('another apply is under way: wait for its end');
    this.#busy = true;
    const client = this.#client();
    try {
      return await this.#locked(() => this.#run(client, config, request, say));
    } catch (error) {
      log.error({ err: error }, 'apply failed');
      return refused(messageOf(error));
    } finally {
      client.close();
      this.#busy = false;
    }
  }

  async #run(
    client: BirdClient,
    config: NodeConfig,
    request: ApplyRequest,
    say: (progress: ApplyProgress) => void,
  ): Promise<ApplyResult> {
    const { file, log, statesFor, binary = 'bird' } = this.#options;
    if (this.#stuck !== null)
      return refused(`an apply before has not ended: ${this.#stuck.problems.join('; ')}`);
    const world = applyWorld({
      client,
      file,
      config,
      stateFolder: config.paths.state,
      binary,
      isDry: request.dryRun,
      render: async (states) =>
        renderInStates(
          config,
          new Map([...statesFor(config), ...states]),
          await readPasswords(config.uplinks),
        ),
      hold: (on) => {
        this.#window = on ? { states: file.states(), hurriedAt: null } : null;
      },
      isHurried: () => this.#isEnding || typeof this.#window?.hurriedAt === 'number',
    });
    const result = await applyBase(world, request, (progress) => {
      log.info({ step: progress.step, text: progress.text }, 'apply');
      if (!request.dryRun) this.#options.tell?.(applyEvent(progress.step, 'done', progress.text));
      say(progress);
    });
    if (!request.dryRun) this.#options.tell?.(applyEvent('end', result.kind, applyEndText(result)));
    if (result.kind === 'stuck') this.#stuck = { problems: result.problems, at: this.#options.now() };
    return result;
  }

  /** At a start, before anything else: what a forerunner left unconfirmed is put back. */
  async recover(): Promise<Recovery> {
    const { file, log, now } = this.#options;
    const config = this.#options.config();
    if (config.mode === 'observe') return { kind: 'nothing' };
    await file.look();
    await removeStale(file.path);
    const client = this.#client();
    try {
      const world = baseWorld({ client, file, stateFolder: config.paths.state });
      const recovery = await this.#locked(() => recover(world)).catch((error: unknown): Promise<Recovery> => {
        // A state folder that takes no lock is no reason to leave an unconfirmed base in force.
        log.warn({ err: error }, 'no lock for putting back');
        return recover(world);
      });
      // A try that fails again is no news.
      if (recovery.kind === 'put-back' || (recovery.kind === 'stuck' && this.#stuck === null))
        this.#options.tell?.(applyEvent('recover', recovery.kind, 'an apply was cut short'));
      this.#stuck = recovery.kind === 'stuck' ? { problems: recovery.problems, at: now() } : null;
      if (recovery.kind === 'put-back')
        log.warn('an apply was cut short: the last confirmed text is back, in the present wish');
      return recovery;
    } finally {
      client.close();
    }
  }

  /** Tries again what could not be put back; called at will. */
  tend(): void {
    const { now } = this.#options;
    if (this.#stuck === null || this.#busy || elapsed(this.#stuck.at, now()) < againMillis) return;
    this.#busy = true;
    void this.recover()
      .catch((error: unknown) =>
        this.#options.log.error({ err: error }, 'the confirmed text is not put back'),
      )
      .finally(() => {
        this.#busy = false;
      });
  }

  /** Before an orderly stop: an apply that is under way is confirmed or undone at once. */
  async end(): Promise<void> {
    this.#isEnding = true;
    while (this.#busy)
      await new Promise((resolve) => {
        setTimeout(resolve, 20);
      });
  }

  alarms(): readonly Alarm[] {
    if (this.#stuck === null) return [];
    const text = `an apply was not confirmed, and the last confirmed text is not back yet: ${this.#stuck.problems.join('; ')}`;
    return [{ code: 'apply-unfinished', text }];
  }

  async #locked<T>(work: () => Promise<T>): Promise<T> {
    const { now } = this.#options;
    const { state } = this.#options.config().paths;
    const began = now();
    for (;;) {
      const lock = await takeLock(state);
      if (lock.kind === 'taken') {
        try {
          return await work();
        } finally {
          await lock.release();
        }
      }
      if (elapsed(began, now()) > lockWaitMillis)
        throw new Error(`process ${lock.pid} is applying: wait for its end`);
      await new Promise((resolve) => {
        setTimeout(resolve, 200);
      });
    }
  }

  #client(): BirdClient {
    return openBird(this.#options.config().bird, { timeoutMillis: patientMillis });
  }
}

function refused(text: string): ApplyResult {
  return { kind: 'refused', step: 'render', problems: [text] };
}

function sameStates(a: FileStates, b: FileStates): boolean {
  return [...a].every(([name, { disabled }]) => (b.get(name)?.disabled ?? disabled) === disabled);
}
