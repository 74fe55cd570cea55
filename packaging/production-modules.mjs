// Prints the folders of the packages that the program needs at run time, one a line, as package-lock.json names them:
// those that are not for development alone, and of the optional ones those for this machine. An installed package of
// another version than the lock's, or one that is missing, ends it with 1: the Debian package has what the lock says.
import { readFileSync } from 'node:fs';
import process from 'node:process';

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const problems = [];

for (const [path, { version, dev, devOptional, peer, optional }] of Object.entries(lock.packages)) {
  if (path === '' || dev || devOptional || peer) continue;
  const installed = versionIn(path);
  if (installed === version) process.stdout.write(`${path}\n`);
  else if (installed !== null || !optional)
    problems.push(`${path}: the lock says ${version}, installed is ${installed ?? 'nothing'}`);
}

for (const problem of problems) process.stderr.write(`${problem}; run npm ci\n`);
process.exitCode = problems.length === 0 ? 0 : 1;

function versionIn(path) {
  try {
    return JSON.parse(readFileSync(`${path}/package.json`, 'utf8')).version;
  } catch {
    return null;
  }
}
