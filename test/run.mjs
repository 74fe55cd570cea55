// The parts of `npm test`, one after the other; each is run even when one before it failed, so that one run shows all.
// The last line is `N passed, N failed, N skipped`: of tests, and of the checks that are not tests, one each.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const full = process.argv.includes('--full');
const reports = mkdtempSync(join(tmpdir(), 'causeway-test-'));
const bin = (name) => `node_modules/.bin/${name}`;
const projects = full ? ['unit', 'lab', 'full'] : ['unit', 'lab'];

const checks = [
  { name: 'types', command: [bin('tsc'), '-p', 'tsconfig.json', '--noEmit'] },
  { name: 'lint', command: [bin('oxlint'), '--type-aware', '--deny-warnings'] },
  { name: 'format', command: [bin('biome'), 'format', '.'] },
];

let passed = 0;
let failed = 0;
const skipped = [];

function run(command) {
  const started = Date.now();
  const { status } = spawnSync(command[0], command.slice(1), { stdio: 'inherit', env: { ...process.env, CAUSEWAY_TEST_FULL: full ? '1' : '' } });
  console.log(`-- ${command.slice(0, 6).join(' ')}: exit ${status}, ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
  return status;
}

for (const check of checks) {
  console.log(`== ${check.name}`);
  if (run(check.command) === 0) passed += 1;
  else failed += 1;
}
for (const project of projects) {
  console.log(`== ${project}`);
  const file = join(reports, `${project}.json`);
  const status = run([bin('vitest'), 'run', '--project', project, '--passWithNoTests', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`]);
  count(file, status);
}
rmSync(reports, { recursive: true, force: true });
for (const title of skipped) console.log(`skipped: ${title}`);
console.log(`${passed} passed, ${failed} failed, ${skipped.length} skipped`);
process.exitCode = failed === 0 ? 0 : 1;

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
      if (test.status === 'skipped' || test.status === 'pending' || test.status === 'todo') skipped.push(test.fullName);
    }
  }
}
