/**
 * Runs the daemon's own supervisor with a real prober process inside a network namespace, as a test's hands and eyes:
 * commands come in as JSON lines (`{"tasks":[…]}`, `{"link":true}`, `{"block":ms}`, `{"stop":true}`), samples and
 * states go out as JSON lines.
 * Usage: node prober-driver.mjs DIST-FOLDER [ENGINE]
 */
import { createInterface } from 'node:readline';

const dist = process.argv[2];
const { startProber } = await import(`${dist}/src/daemon/prober.js`);
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const prober = startProber({
  entry: `${dist}/probes/prober.js`,
  tasks: [],
  engine: process.argv[3] ?? 'icmp-socket',
  onSamples: (message) => say({ kind: 'samples', message }),
  onState: (state) => say({ kind: 'state', state }),
});
// A parent that is as busy as a daemon with many requests: blocked more often than not.
let busyMillis = 0;
setInterval(() => {
  const until = performance.now() + busyMillis;
  while (performance.now() < until);
}, 50);

createInterface({ input: process.stdin }).on('line', (line) => {
  const command = JSON.parse(line);
  if (command.tasks) prober.setTasks(command.tasks);
  if (command.link) prober.linkChanged();
  if (command.busy !== undefined) busyMillis = command.busy;
  // As hard as kill -9, which the test cannot send: it knows the namespace's wrapper, not us.
  if (command.die) process.kill(process.pid, 'SIGKILL');
  if (command.stop) void prober.stop().then(() => process.exit(0));
});
process.stdin.on('end', () => void prober.stop().then(() => process.exit(0)));
