/** All commands of `causeway-edge`: they check edge.yaml, and render it for nginx. */
import { join } from 'node:path';
import { Command } from 'commander';
import type { EdgeCheckOutput, EdgeRenderOutput } from '../src/types/wire/companion-outputs.ts';
import { loadEdge } from './conf/load.ts';
import { describeProblem } from './conf/problem.ts';
import { judge, writeEdge } from './render/write.ts';

export interface Output {
  /** For stdout. */
  readonly say: (text: string) => void;
  /** For stderr. */
  readonly complain: (text: string) => void;
  /** 0 done, 1 the answer is no, 2 usage or config. */
  readonly end: (code: 0 | 1 | 2) => void;
}

interface CheckOptions {
  readonly config: string;
  readonly json: boolean;
}

interface RenderOptions extends CheckOptions {
  readonly out: string;
  readonly lua?: string;
  readonly workers: string;
  readonly user?: string;
}

export function buildProgram(output: Output): Command {
  const program = new Command('causeway-edge').description('Renders the nginx and Lua edge from one config');
  program.exitOverride();
  program
    .command('check')
    .description('reads edge.yaml and its networks.yaml and shows everything that is wrong')
    .requiredOption('-c, --config <file>', 'edge.yaml')
    .option('--json', 'print JSON', false)
    .action((options: CheckOptions) => check(options, output));
  program
    .command('render')
    .description('writes nginx.conf, edge-http.conf and the data for Lua, and lets nginx -t judge them')
    .requiredOption('-c, --config <file>', 'edge.yaml')
    .requiredOption('-o, --out <directory>', 'directory for the rendered files')
    .option('--lua <directory>', 'directory of the Lua modules', undefined)
    .option('--workers <count>', 'worker processes in nginx.conf', '2')
    .option('--user <name>', 'account of the workers in nginx.conf')
    .option('--json', 'print JSON', false)
    .action((options: RenderOptions) => render(options, output));
  return program;
}

async function check({ config, json }: CheckOptions, output: Output): Promise<void> {
  const loaded = await loadEdge(config);
  const problems = loaded.kind === 'ok' ? [] : loaded.problems;
  const networks = loaded.kind === 'ok' ? loaded.value.networks.version : null;
  const found: EdgeCheckOutput = { config, networks, problems };
  if (json) output.say(JSON.stringify(found));
  else if (networks !== null) output.say(`${config}: good; networks ${networks}`);
  else for (const problem of problems) output.complain(describeProblem(problem));
  output.end(networks === null ? 1 : 0);
}

async function render(options: RenderOptions, output: Output): Promise<void> {
  const { config, out, lua, user = null } = options;
  const workers = Number(options.workers);
  if (!Number.isInteger(workers) || workers < 1) {
    output.complain(`--workers ${options.workers}: a whole number from 1 is needed`);
    return output.end(2);
  }
  const loaded = await loadEdge(config);
  if (loaded.kind !== 'ok') {
    tellRendered({ out, problems: loaded.problems, refusal: null }, options, output);
    return output.end(2);
  }
  await writeEdge(loaded.value, { out, workers, user, ...(lua === undefined ? {} : { lua }) });
  const refusal = await judge(join(out, 'nginx.conf'));
  tellRendered({ out, problems: [], refusal }, options, output);
  output.end(refusal === null ? 0 : 1);
}

function tellRendered(done: EdgeRenderOutput, { json }: RenderOptions, output: Output): void {
  const { out, problems, refusal } = done;
  if (json) return output.say(JSON.stringify(done));
  for (const problem of problems) output.complain(describeProblem(problem));
  if (refusal !== null) output.complain(`${out}: rendered, but nginx -t refuses it:\n${refusal}`);
  if (problems.length > 0 || refusal !== null) return;
  output.say(
    `${out}: rendered, and nginx -t passes; include ${out}/edge-http.conf in http{}, or run nginx -c ${out}/nginx.conf`,
  );
}
