/** `causeway doctor`: looks at everything that the daemon needs, and says for each fault what it is, why it matters and what mends it. */
import type { Command } from 'commander';
import { loadConfig } from '../config/load.ts';
import { examine, isSound, type Examined } from '../host/doctor.ts';
import { hostChecks, hostContext } from '../host/host-checks.ts';
import type { NodeConfig } from '../types/config.ts';
import { fetchStatus } from './daemon-client.ts';
import { compareWithFping } from './doctor-compare.ts';
import { birdChecks, readBirdOnce } from './doctor-bird.ts';
import { doctorText } from './doctor-text.ts';
import { defaultConfigFile, exitCode, type Output } from './exit.ts';

interface DoctorOptions {
  readonly config: string;
  readonly json: boolean;
  readonly compare: boolean;
}

/** Adds the subcommand. Exit codes: 0 nothing is wrong (warnings may be), 1 something is. */
export function registerDoctor(program: Command, output: Output): void {
  program
    .command('doctor')
    .description('look at config, BIRD, links, routing and kernel settings; changes nothing')
    .option('-c, --config <file>', 'the config', defaultConfigFile)
    .option(
      '--compare',
      'besides, let fping ping every target and compare what it finds with the prober',
      false,
    )
    .option('--json', 'print the findings as JSON', false)
    .action(async (options: DoctorOptions) => {
      const found = await diagnose(options.config);
      const results = options.compare ? [...found, ...(await comparison(options.config))] : found;
      const ok = isSound(results);
      const colour = process.stdout.isTTY && (process.env['NO_COLOR'] ?? '') === '';
      output.answer(
        options.json
          ? JSON.stringify({ ok, findings: results }, null, 2)
          : doctorText(results, colour).trimEnd(),
      );
      output.end(ok ? exitCode.done : exitCode.no);
    });
}

/** All findings. A config that does not load is the only one then: everything else is read from it. */
export async function diagnose(path: string): Promise<readonly Examined[]> {
  const loaded = await loadConfig(path);
  if (loaded.kind === 'bad') {
    return loaded.problems.map((problem) => ({
      id: 'config',
      title: 'config',
      finding: {
        kind: 'wrong',
        what: problem.text,
        why: 'the daemon does not start with it, and a running one keeps the config before',
        mend: `edit ${path}, then: causeway check -c ${path}`,
      },
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

/** The findings on the machine and BIRD for a config that loaded. */
export async function diagnoseNode(config: NodeConfig): Promise<readonly Examined[]> {
  const bird = await readBirdOnce(config);
  return [
    ...(await examine(birdChecks, { config, bird })),
    ...(await examine(hostChecks(config), hostContext(config))),
  ];
}
