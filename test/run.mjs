// The parts of `npm test`, each run even when one before it failed, so that one run shows all. The scenarios take longest
// and mostly wait, so they run beside the other lab tests, as do those that need no carriers; their output
// follows when those have ended.
// The last line is `N passed, N failed, N skipped`: of tests, and of the checks that are not tests, one each.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const full = process.argv.includes('--full');
const reports = mkdtempSync(join(tmpdir(), 'causeway-test-'));
const bin = (name) => `node_modules/.bin/${name}`;

const checks = [
  { name: 'types', command: [bin('tsc'), '-p', 'tsconfig.json', '--noEmit'] },
  { name: 'types of the page', command: [bin('tsc'), '-p', 'src/http/page/browser', '--noEmit'] },
  { name: 'types of the page of GeoDNS', command: [bin('tsc'), '-p', 'geodns/page/browser', '--noEmit'] },
  { name: 'lint', command: [bin('oxlint'), '--type-aware', '--deny-warnings'] },
  { name: 'format', command: [bin('biome'), 'format', '.'] },
];

let passed = 0;
let failed = 0;
const skipped = [];

for (const { name, command } of checks) await check(name, command);
await part('unit');
const beside = [part('scenarios', 'quiet'), part('host', 'quiet')];
await part('lab');
await Promise.all(beside);
if (full) {
  await part('full');
  await check('fresh Debian', ['bash', 'test/full/fresh-debian']);
}

rmSync(reports, { recursive: true, force: true });
for (const title of skipped) console.log(`skipped: ${title}`);
console.log(`${passed} passed, ${failed} failed, ${skipped.length} skipped`);
process.exitCode = failed === 0 ? 0 : 1;

/** A check that is no test: it passes with exit code 0. */
async function check(name, command) {
  const { status, text } = await run(name, command);
  process.stdout.write(text);
  if (status === 0) passed += 1;
  else failed += 1;
}

/** Runs one vitest project and counts its tests. `quiet`: what it prints is shown when it has ended. */
async function part(project, quiet) {
  const file = join(reports, `${project}.json`);
  const vitest = [bin('vitest'), 'run', '--project', project, '--passWithNoTests'];
  const report = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const { status, text } = await run(project, [...vitest, ...report], quiet);
  process.stdout.write(text);
  count(file, status);
}

function run(name, command, quiet) {
  const started = Date.now();
  if (quiet === undefined) console.log(`== ${name}`);
  else console.log(`== ${name}: started beside the next part, shown when it has ended`);
  const env = { ...process.env, CAUSEWAY_TEST_FULL: full ? '1' : '' };
  const child = spawn(command[0], command.slice(1), { stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'pipe' : 'inherit'], env });
  let text = '';
  child.stdout?.on('data', (chunk) => (text += chunk));
  child.stderr?.on('data', (chunk) => (text += chunk));
  return new Promise((resolve) => {
    child.on('close', (status) => {
      const took = ((Date.now() - started) / 1000).toFixed(1);
      resolve({ status, text: `${text === '' ? '' : `== ${name}\n${text}`}-- ${name}: exit ${status}, ${took} s\n\n` });
    });
  });
}

/** Adds a part's report; a part that broke without one, or outside a test, counts as one failure. */
function count(file, status) {
  let report;
  try {
    report = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    failed += 1;
    return;
  }
  passed += report.numPassedTests;
  failed += report.numFailedTests;
  if (status !== 0 && report.numFailedTests === 0) failed += 1;
  for (const suite of report.testResults) {
    for (const test of suite.assertionResults) {
      if (['skipped', 'pending', 'todo'].includes(test.status)) skipped.push(test.fullName);
    }
  }
}
