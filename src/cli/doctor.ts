/** `causeway doctor`: looks at everything that the daemon needs, and says for each fault what it is, why it matters and what mends it. */
import { join } from 'node:path';
import type { Command } from 'commander';
import { markName } from '../../bird/base-mark.ts';
import { loadConfig } from '../config/load.ts';
import type { ClockMoment } from '../host/clock-checks.ts';
import { examine, type Examined, finding, isSound } from '../host/doctor.ts';
import { hostChecks, hostContext, machineChecks } from '../host/host-checks.ts';
import { secretChecks, secretFiles } from '../host/secret-checks.ts';
import { historyFolder, readHistoryFiles } from '../store/history-files.ts';
import type { NodeConfig } from '../types/config.ts';
import { askBirdOnce, readBirdOnce, readRightsOnce } from './bird-once.ts';
import { fetchStatus } from './daemon-client.ts';
import { companionChecks } from './doctor-companions.ts';
import { compareWithFping } from './doctor-compare.ts';
import { birdChecks } from './doctor-bird.ts';
import { askDaemonOnce, daemonChecks } from './doctor-daemon.ts';
import { ownRuntime, runtimeChecks } from './doctor-runtime.ts';
import { doctorText } from './doctor-text.ts';
import { defaultConfigFile, examples, exitCode, type Output } from './exit.ts';
import { terminal } from './terminal.ts';

interface DoctorOptions {
  readonly config: string;
  readonly json: boolean;
  readonly compare: boolean;
}

/** Entries whose two clocks are compared. */
const momentsRead = 2000;

/** Adds the subcommand. Exit codes: 0 nothing is wrong (warnings may be), 1 something is. */
export function registerDoctor(program: Command, output: Output): void {
  program
    .command('doctor')
    .description(
      'look at config, BIRD, links, routing, kernel, clock, disk and unit, and send a few probes; changes nothing',
    )
    .option('-c, --config <file>', 'the config', defaultConfigFile)
    .option(
      '--compare',
      'besides, let fping ping every target and compare what it finds with the prober',
      false,
    )
    .option('--json', 'print the findings as JSON', false)
    .addHelpText(
      'after',
      examples(
        'causeway doctor',
        'causeway doctor --compare',
        `causeway doctor --json | jq -r '.findings[].finding | select(.code) | .code'`,
      ),
    )
    .action(async (options: DoctorOptions) => {
      const found = await diagnose(options.config);
      const results = options.compare ? [...found, ...(await comparison(options.config))] : found;
      const ok = isSound(results);
      output.answer(
        options.json
          ? JSON.stringify({ ok, findings: results }, null, 2)
          : doctorText(results, terminal()).trimEnd(),
      );
      output.end(ok ? exitCode.done : exitCode.no);
    });
}

/** All findings. Of a config that does not load nothing but the runtime can be looked at: everything else is read from it. */
export async function diagnose(path: string): Promise<readonly Examined[]> {
  const loaded = await loadConfig(path);
  if (loaded.kind === 'bad') {
    return loaded.problems.map((problem) => ({
      id: 'config',
      title: 'config',
      finding: finding('config-bad', {
        what: problem.text,
        why: 'the daemon does not start with it, and a running one keeps the config before',
        mend: `edit ${path}, then: causeway check -c ${path}`,
      }),
    }));
  }
  const config: Examined = { id: 'config', title: 'config', finding: { kind: 'ok', text: `${path} loads` } };
  return [config, ...(await diagnoseNode(loaded.config))];
}

/** fping's findings beside those of the running daemon, which it asks over the control socket. */
async function comparison(path: string): Promise<readonly Examined[]> {
  const loaded = await loadConfig(path);
  if (loaded.kind === 'bad') return [];
  const answer = await fetchStatus([{ kind: 'socket', path: loaded.config.paths.control }]);
  if (answer.kind === 'answer') return compareWithFping(loaded.config, answer.document);
  const text = `the daemon does not answer: ${answer.text}`;
  return [{ id: 'compare', title: 'fping beside the prober', finding: { kind: 'skipped', text } }];
}

/** The findings on the machine and BIRD for a config that loaded, in the order in which they should be mended. */
export async function diagnoseNode(config: NodeConfig): Promise<readonly Examined[]> {
  const [bird, restricted, mark, status] = await Promise.all([
    readBirdOnce(config),
    readRightsOnce(config),
    askBirdOnce(config, `eval ${markName}`),
    askDaemonOnce(config),
  ]);
  const context = hostContext(config, () => momentsIn(config.paths.state));
  return [
    ...(await examine(runtimeChecks, ownRuntime)),
    ...(await examine(secretChecks(secretFiles(config)), null)),
    ...(await examine(birdChecks, { config, bird, restricted, mark: numberIn(mark) })),
    ...(await examine(hostChecks(config), context)),
    ...(await probed(config)),
    ...(await examine(machineChecks(config), context)),
    ...(await examine(companionChecks(config), null)),
    ...(await examine(daemonChecks, { config, status })),
  ];
}

/** Loaded here alone: its library for system calls may be what is wrong. */
async function probed(config: NodeConfig): Promise<readonly Examined[]> {
  const loaded = await import('./doctor-probe.ts').catch(() => null);
  if (loaded !== null) return examine(loaded.probeChecks(config), null);
  const text = 'the library for system calls does not load';
  return [{ id: 'probe', title: 'probes', finding: { kind: 'skipped', text } }];
}

/** BIRD's answer to `eval`; null: none, or it has no such constant. */
function numberIn(answer: string | null): number | null {
  const found = /^\s*(\d+)\s*$/.exec(answer ?? '')?.[1];
  return found === undefined ? null : Number(found);
}

/** Both clocks of the newest entries of the history, oldest first. */
async function momentsIn(state: string): Promise<readonly ClockMoment[]> {
  const entries = await readHistoryFiles(join(state, historyFolder), { limit: momentsRead }).catch(() => []);
  return entries.toReversed().map(({ at, monotonicMillis, bootId }) => ({
    wallMillis: Date.parse(at),
    monotonicMillis,
    bootId,
  }));
}
