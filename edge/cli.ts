/** `causeway-edge`: checks edge.yaml, and renders it for nginx. Exit codes: 0 done, 1 the answer is no, 2 usage or config. */
import { join } from 'node:path';
import { Command } from 'commander';
import { loadEdge } from './conf/load.ts';
import type { EdgeInput } from './conf/load.ts';
import { describeProblem } from './conf/problem.ts';
import { judge, writeEdge } from './render/write.ts';

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const complain = (text: string): void => void process.stderr.write(`${text}\n`);

interface RenderOptions {
  readonly config: string;
  readonly out: string;
  readonly lua?: string;
  readonly workers: string;
  readonly user?: string;
}

async function load(file: string, code: number): Promise<EdgeInput | undefined> {
  const loaded = await loadEdge(file);
  if (loaded.kind === 'ok') return loaded.value;
  for (const problem of loaded.problems) complain(describeProblem(problem));
  process.exitCode = code;
  return undefined;
}

async function check(options: { readonly config: string }): Promise<void> {
  const input = await load(options.config, 1);
  if (input) say(`${options.config}: good; networks ${input.networks.version}`);
}

async function render(options: RenderOptions): Promise<void> {
  const workers = Number(options.workers);
  if (!Number.isInteger(workers) || workers < 1) {
    complain(`--workers ${options.workers}: a whole number from 1 is needed`);
    process.exitCode = 2;
    return;
  }
  const input = await load(options.config, 2);
  if (!input) return;
  const { out, lua, user = null } = options;
  await writeEdge(input, { out, workers, user, ...(lua === undefined ? {} : { lua }) });
  const verdict = await judge(join(out, 'nginx.conf'));
  if (verdict === null) {
    say(
      `${out}: rendered, and nginx -t passes; include ${out}/edge-http.conf in http{}, or run nginx -c ${out}/nginx.conf`,
    );
    return;
  }
  complain(`${out}: rendered, but nginx -t refuses it:\n${verdict}`);
  process.exitCode = 1;
}

const program = new Command('causeway-edge').description('Renders the nginx and Lua edge from one config');
program.exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
program
  .command('check')
  .description('reads edge.yaml and its networks.yaml and shows everything that is wrong')
  .requiredOption('-c, --config <file>', 'edge.yaml')
  .action(check);
program
  .command('render')
  .description('writes nginx.conf, edge-http.conf and the data for Lua, and lets nginx -t judge them')
  .requiredOption('-c, --config <file>', 'edge.yaml')
  .requiredOption('-o, --out <directory>', 'directory for the rendered files')
  .option('--lua <directory>', 'directory of the Lua modules', undefined)
  .option('--workers <count>', 'worker processes in nginx.conf', '2')
  .option('--user <name>', 'account of the workers in nginx.conf')
  .action(render);
await program.parseAsync();
