/** `npm run edge:lab`: two nodes to play with. `-- --check` tries every printed command itself and ends. */
import { createInterface } from 'node:readline';
import { startLab } from './run.ts';
import type { Lab } from './run.ts';
import { allUp, carriers, nodes, withUplink } from './site.ts';
import { shell, take, tour } from './tour.ts';

const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function check(lab: Lab): Promise<number> {
  let wrong = 0;
  for (const step of tour(lab)) {
    const output = await take(lab, step);
    say(`${output === null ? 'ok  ' : 'FAIL'} ${step.title}`);
    if (output === null) continue;
    wrong += 1;
    say(`     ${shell(step)}\n     should contain: ${step.expect}\n     came out:\n${output}`);
  }
  return wrong;
}

function explain(lab: Lab): void {
  say(`Two nodes, hk1 and hk2, an origin and a Redis are running on loopback; files in ${lab.dir}\n`);
  for (const step of tour(lab)) {
    const down = step.ups === allUp ? '' : ' (after: down hk1 cmi)';
    say(`# ${step.title}${down}\n${shell(step)}\n`);
  }
  say(
    'Type here:  down <node> <carrier>   up <node> <carrier>   (nodes hk1 hk2; carriers cmi pccw hkbn). Ctrl-C ends it all.',
  );
}

/** Reads commands until the input or a signal ends it; the state is told again every 5 seconds, as the daemon does. */
async function play(lab: Lab): Promise<void> {
  let ups = allUp;
  const tell = (): void => void lab.tell(ups).catch((error: unknown) => say(String(error)));
  const heartbeat = setInterval(tell, 5000);
  const input = createInterface({ input: process.stdin });
  input.on('line', (line) => {
    const [verb, nodeText, carrierText] = line.trim().split(/\s+/);
    const node = nodes.find((one) => one === nodeText);
    const carrier = carriers.find((one) => one === carrierText);
    if ((verb !== 'up' && verb !== 'down') || node === undefined || carrier === undefined) {
      say('not understood; try: down hk1 cmi');
      return;
    }
    ups = withUplink(ups, node, carrier, verb === 'up');
    tell();
    say(`${carrier} is ${verb} on ${node}`);
  });
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, resolve);
  });
  clearInterval(heartbeat);
  input.close();
}

if (process.argv.includes('--help')) {
  say(
    'Usage: npm run edge:lab [-- --check]\n  two nodes, an origin and a Redis on loopback, and commands to try; --check tries them itself',
  );
  process.exit();
}
const lab = await startLab();
try {
  if (process.argv.includes('--check')) {
    process.exitCode = (await check(lab)) === 0 ? 0 : 1;
  } else {
    explain(lab);
    await play(lab);
  }
} finally {
  await lab.close();
}
