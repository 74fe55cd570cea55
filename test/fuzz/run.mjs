// npm run fuzz -- TARGET [--minutes N] [--seed S]: one target, or `all` in turn. Exit codes: 0 no finding, 1 findings, 2 usage.
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';

const targets = ['bird', 'config', 'rules', 'edge', 'state', 'http', 'dns', 'icmp', 'redis', 'snapshot', 'all'];
const usage = `Usage: npm run fuzz -- TARGET [--minutes N] [--seed S]\n  TARGET: ${targets.join(', ')}`;

function read() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { minutes: { type: 'string', default: '1' }, seed: { type: 'string', default: '1' }, help: { type: 'boolean', default: false } },
    });
    const [target, ...more] = positionals;
    const numbers = [Number(values.minutes), Number(values.seed)];
    if (values.help || more.length > 0 || !targets.includes(target) || numbers.some((one) => !(one >= 0))) return null;
    return { target, minutes: values.minutes, seed: values.seed };
  } catch {
    return null;
  }
}

const asked = read();
if (asked === null) {
  process.stderr.write(`${usage}\n`);
  process.exit(2);
}
const env = {
  ...process.env,
  CAUSEWAY_FUZZ_TARGET: asked.target,
  CAUSEWAY_FUZZ_MINUTES: asked.minutes,
  CAUSEWAY_FUZZ_SEED: asked.seed,
};
const child = spawn('node_modules/.bin/vitest', ['run', '--project', 'fuzz'], { stdio: 'inherit', env });
child.on('close', (code) => {
  process.exitCode = code === 0 ? 0 : 1;
});
