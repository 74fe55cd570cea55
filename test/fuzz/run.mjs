// npm run fuzz -- TARGET [--minutes N] [--seed S] [--json]: one target, or `all` in turn. Exit codes: 0 no finding, 1 findings, 2 usage.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const targets = ['bird', 'config', 'rules', 'edge', 'state', 'http', 'geodns-http', 'dns', 'icmp', 'redis', 'snapshot', 'all'];
const usage = `Usage: npm run fuzz -- TARGET [--minutes N] [--seed S] [--json]\n  TARGET: ${targets.join(', ')}`;

function read() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { minutes: { type: 'string', default: '1' }, seed: { type: 'string', default: '1' }, json: { type: 'boolean', default: false } },
    });
    const [target, ...more] = positionals;
    const numbers = [Number(values.minutes), Number(values.seed)];
    if (more.length > 0 || !targets.includes(target) || numbers.some((one) => !(one >= 0))) return null;
    return { target, minutes: values.minutes, seed: values.seed, json: values.json };
  } catch {
    return null;
  }
}

if (process.argv.includes('--help')) {
  process.stdout.write(`${usage}\n`);
  process.exit(0);
}
const asked = read();
if (asked === null) {
  process.stderr.write(`${usage}\n`);
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'causeway-fuzz-'));
const reports = join(folder, 'reports.jsonl');
writeFileSync(reports, '');
const env = {
  ...process.env,
  CAUSEWAY_FUZZ_TARGET: asked.target,
  CAUSEWAY_FUZZ_MINUTES: asked.minutes,
  CAUSEWAY_FUZZ_SEED: asked.seed,
  CAUSEWAY_FUZZ_REPORTS: reports,
};
// With --json what is printed on the way goes to standard error.
const stdio = ['inherit', asked.json ? 2 : 'inherit', 'inherit'];
const child = spawn('node_modules/.bin/vitest', ['run', '--project', 'fuzz'], { stdio, env });
child.on('close', (code) => {
  if (asked.json) {
    const lines = readFileSync(reports, 'utf8').split('\n').filter((line) => line !== '');
    process.stdout.write(`${JSON.stringify(lines.map((line) => JSON.parse(line)))}\n`);
  }
  rmSync(folder, { recursive: true, force: true });
  process.exitCode = code === 0 ? 0 : 1;
});
