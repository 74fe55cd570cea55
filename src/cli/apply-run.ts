/** Has an apply done: by the daemon where one answers on the control socket, else here. */
import { request, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { type Lock, takeLock } from '../../bird/apply/lock.ts';
import { loneFile } from '../../bird/apply/lone-file.ts';
import { readPasswords } from '../../bird/apply/passwords.ts';
import { recover } from '../../bird/apply/put-back.ts';
import { renderInStates } from '../../bird/apply/render-in-states.ts';
import { applyBase } from '../../bird/apply/sequence.ts';
import { applyWorld, baseWorld, type BaseFile } from '../../bird/apply/world.ts';
import { openBird } from '../../bird/open.ts';
import { isRestricted } from '../../bird/rights.ts';
import { removeStale } from '../../bird/owned-file.ts';
import type { NodeConfig } from '../types/config.ts';
import { messageOf } from '../types/message-of.ts';
import {
  applyLine,
  type ApplyProgress,
  type ApplyRequest,
  type ApplyResult,
  type ApplyStep,
} from '../types/wire/apply.ts';

export type ApplyRun =
  | { readonly kind: 'result'; readonly by: 'daemon' | 'command'; readonly result: ApplyResult }
  /** The daemon answered, and not what was asked; or its answer broke off. */
  | { readonly kind: 'broken'; readonly text: string };

type Say = (progress: ApplyProgress) => void;

const patientMillis = 10_000;

/** `binary`: the `bird` to check and rehearse with where no daemon does it. */
export async function runApply(
  config: NodeConfig,
  asked: ApplyRequest,
  binary: string,
  say: Say,
): Promise<ApplyRun> {
  const answer = await post(config.paths.control, asked);
  if (answer === 'broken-off')
    return { kind: 'broken', text: 'the daemon closed the connection without an answer' };
  if (answer !== null) return readAnswer(answer, say);
  return { kind: 'result', by: 'command', result: await runAlone(config, asked, binary, say) };
}

/** null: no daemon listens there. */
function post(socketPath: string, asked: ApplyRequest): Promise<IncomingMessage | 'broken-off' | null> {
  const body = JSON.stringify(asked);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, path: '/v1/apply', method: 'POST', agent: false, headers }, resolve);
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') resolve(null);
      else if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve('broken-off');
      else reject(new Error(`${socketPath}: ${error.message}`));
    });
    sent.end(body);
  });
}

async function readAnswer(response: IncomingMessage, say: Say): Promise<ApplyRun> {
  const lines = createInterface({ input: response });
  let text = '';
  try {
    for await (const line of lines) {
      text += `${line}\n`;
      if (response.statusCode !== 200) continue;
      const read = applyLine.parse(JSON.parse(line));
      if (read.kind === 'progress') say(read);
      if (read.kind === 'result') return { kind: 'result', by: 'daemon', result: read.result };
    }
  } catch (error) {
    return { kind: 'broken', text: `the daemon's answer broke off: ${messageOf(error)}` };
  }
  if (response.statusCode === 200)
    return {
      kind: 'broken',
      text: "the daemon's answer broke off before the result: look at `causeway status`",
    };
  return { kind: 'broken', text: `the daemon answers HTTP ${response.statusCode}: ${text.trim()}` };
}

/** Without a daemon the present wish is what stands in the owned file. */
async function runAlone(
  config: NodeConfig,
  asked: ApplyRequest,
  binary: string,
  say: Say,
): Promise<ApplyResult> {
  if (config.mode === 'observe' && !asked.dryRun)
    return refused('render', 'mode is observe: it writes no file of BIRD’s; `mode: live` acts');
  if (config.fleet !== null && config.fleet.soakMillis > 0 && !asked.dryRun && asked.skipFleet !== true)
    return refused(
      'fleet',
      'without the daemon nobody knows whether another node is in the middle of the same change: start the daemon, or apply with `--skip-fleet`',
    );
  const lock = await lockOrNull(config.paths.state, asked.dryRun);
  if (lock?.kind === 'held') return refused('render', `process ${lock.pid} is applying: wait for its end`);
  const client = openBird(config.bird, { timeoutMillis: patientMillis });
  const stateFolder = config.paths.state;
  try {
    // Throws where BIRD cannot be reached, before anything else is tried.
    await client.command('show status');
    if (!asked.dryRun && (await isRestricted(client)) === true)
      return refused(
        'render',
        'BIRD’s socket is a restricted one, which changes nothing: set bird.socket to the other one',
      );
    const file = guarded(loneFile(config.bird.config), config.paths.control);
    if (!asked.dryRun) {
      await removeStale(config.bird.config);
      const recovery = await recover(baseWorld({ client, file, stateFolder }));
      if (recovery.kind === 'stuck') return { kind: 'stuck', problems: recovery.problems };
      if (recovery.kind === 'put-back')
        say({ step: 'put-back', text: 'an apply before was cut short: the last confirmed text is back' });
    }
    const world = applyWorld({
      client,
      file,
      stateFolder,
      config,
      binary,
      isDry: asked.dryRun,
      render: async (states) => renderInStates(config, states, await readPasswords(config.uplinks)),
      hold: () => undefined,
      isHurried: () => false,
    });
    return await applyBase(world, asked, say);
  } finally {
    client.close();
    if (lock?.kind === 'taken') await lock.release();
  }
}

/** A question needs no lock, and nobody's leave to write. */
async function lockOrNull(stateFolder: string, isDry: boolean): Promise<Lock | null> {
  return isDry ? null : takeLock(stateFolder);
}

/** A daemon that came up meanwhile keeps the file itself. */
function guarded(file: BaseFile, control: string): BaseFile {
  return {
    ...file,
    async swap(text) {
      if (await isAnswered(control))
        throw new Error('a daemon has started meanwhile, and keeps the owned file: apply again');
      await file.swap(text);
    },
  };
}

function isAnswered(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const sent = request({ socketPath, path: '/healthz', agent: false }, (response) => {
      response.resume();
      resolve(true);
    });
    sent.on('error', () => resolve(false));
    sent.end();
  });
}

function refused(step: ApplyStep, text: string): ApplyResult {
  return { kind: 'refused', step, problems: [text] };
}
