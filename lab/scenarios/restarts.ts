/** The daemon dies or freezes, BIRD dies or is away, somebody else runs `birdc configure`. */
import { blackHole } from '../faults/packet-filter.ts';
import { carrierNames } from '../network/names.ts';
import { askNodeBird, startNodeBird, stopNodeBird } from '../node/bird.ts';
import { nodeFiles } from '../node/config.ts';
import { signalDaemon, startDaemon, stopDaemon } from '../node/program.ts';
import { staysTrue } from '../network/wait.ts';
import {
  announced,
  gone,
  heard,
  neverHeard,
  quiet,
  sessionsLived,
  sessionUp,
  Unexpected,
  untouched,
} from './expect.ts';
import { healthyAgain, protocolShows, statusSays } from './expect-node.ts';
import type { Scenario, Stage } from './stage.ts';

const hole = blackHole({ carrier: 'cmi' });

export const restartScenarios: readonly Scenario[] = [
  {
    name: 'kill-in-health',
    summary: 'kill -9 of the daemon ten times in health: no UPDATE at any carrier',
    async run(stage) {
      await killTenTimes(stage);
      await healthyAgain(stage);
      await untouched(stage, ...carrierNames);
    },
  },
  {
    name: 'kill-in-a-fault',
    summary:
      'kill -9 ten times while CMI is withdrawn: no UPDATE, the withdrawal is adopted, and it still heals',
    async run(stage) {
      await stage.hit(hole);
      await gone(stage, 'cmi');
      await killTenTimes(stage);
      heard(stage, 'cmi', ['withdraw']);
      await quiet(stage, 1000);
      await stage.mend(hole);
      await announced(stage, 'cmi');
      heard(stage, 'cmi', ['withdraw', 'announce']);
      await sessionsLived(stage);
      await untouched(stage, 'pccw', 'hkbn');
    },
  },
  {
    name: 'kill-before-the-verdict',
    summary: 'kill -9 in the bad seconds of a black hole: the restarted daemon still withdraws',
    async run(stage) {
      await stage.hit(hole);
      await quiet(stage, 2500);
      await killOnce(stage);
      await gone(stage, 'cmi');
      await stage.mend(hole);
      await announced(stage, 'cmi');
      heard(stage, 'cmi', ['withdraw', 'announce']);
      await untouched(stage, 'pccw', 'hkbn');
    },
  },
  {
    name: 'kill-at-the-turns',
    summary:
      'kill -9 right after the withdrawal and right after the return: what it did itself is no hand of others',
    async run(stage) {
      await stage.hit(hole);
      await gone(stage, 'cmi');
      await killOnce(stage);
      await stage.mend(hole);
      await announced(stage, 'cmi');
      await killOnce(stage);
      await healthyAgain(stage, 30_000);
      heard(stage, 'cmi', ['withdraw', 'announce']);
      await untouched(stage, 'pccw', 'hkbn');
    },
  },
  {
    name: 'daemon-frozen',
    summary: 'SIGSTOP of the daemon for 8 s: no UPDATE, and nothing follows from the silence',
    async run(stage) {
      await stage.act('SIGSTOP', async () => signalDaemon(stage.lab.network, 'SIGSTOP'));
      await quiet(stage, 8000);
      await stage.act('SIGCONT', async () => signalDaemon(stage.lab.network, 'SIGCONT'));
      await quiet(stage, 3000);
      await healthyAgain(stage);
      await untouched(stage, ...carrierNames);
    },
  },
  {
    name: 'foreign-configure',
    summary: 'somebody runs `birdc configure` while CMI is withdrawn: it is not announced in between',
    async run(stage) {
      await stage.hit(hole);
      await gone(stage, 'cmi');
      for (const command of ['configure', 'configure soft', 'configure']) {
        await stage.act(`birdc ${command}`, () => askNodeBird(stage.lab.network, command));
        await protocolShows(stage, 'announce_cmi_web4', 'down', /loss/);
        await quiet(stage, 700);
      }
      heard(stage, 'cmi', ['withdraw']);
      await stage.mend(hole);
      await announced(stage, 'cmi');
      heard(stage, 'cmi', ['withdraw', 'announce']);
      await sessionsLived(stage);
      await untouched(stage, 'pccw', 'hkbn');
    },
  },
  {
    name: 'bird-killed',
    summary: 'BIRD is killed and started while CMI is withdrawn: the others return, CMI never sees the route',
    async run(stage) {
      await stage.hit(hole);
      await gone(stage, 'cmi');
      // Frozen, the daemon cannot mend what BIRD reads: what is not announced is so by the file alone.
      signalDaemon(stage.lab.network, 'SIGSTOP');
      await stage.act('the daemon is frozen, BIRD killed and started', async () => {
        await stopNodeBird(stage.lab.network, 'SIGKILL');
        await startNodeBird(stage.lab.network);
      });
      for (const carrier of carrierNames) await sessionUp(stage, carrier);
      await announced(stage, 'pccw');
      await announced(stage, 'hkbn');
      await quiet(stage, 1000);
      neverHeard(stage, 'cmi', ['announce', 'drain']);
      signalDaemon(stage.lab.network, 'SIGCONT');
      await birdCameBack(stage);
      await stage.mend(hole);
      await announced(stage, 'cmi');
      await healthyAgain(stage);
    },
  },
  {
    name: 'bird-away',
    summary:
      'BIRD is away for 20 s, in which CMI dies: within 2 s of its return the wish stands, and CMI saw nothing',
    async run(stage) {
      await stage.act('BIRD is stopped', () => stopNodeBird(stage.lab.network, 'SIGTERM'));
      const stopped = performance.now();
      await stage.hit(hole);
      const path = nodeFiles(stage.lab.network).birdSocket;
      await statusSays(stage, `bird-unreachable with ${path} and the errno`, ({ alarms, bird }) => {
        const alarm = alarms.find(({ code }) => code === 'bird-unreachable');
        const text = alarm?.text ?? '';
        return bird.kind === 'unreachable' && text.includes(path) && /ENOENT|ECONNREFUSED/.test(text);
      });
      await staysTrue(20_000 - (performance.now() - stopped), () => undefined, 200);
      await stage.act('BIRD is started', () => startNodeBird(stage.lab.network));
      await birdCameBack(stage);
      await stage.mend(hole);
      await announced(stage, 'cmi');
      await healthyAgain(stage);
    },
  },
];

/** Each time it is killed as soon as it has read BIRD; the last one stays. */
async function killTenTimes(stage: Stage): Promise<void> {
  for (let round = 1; round <= 10; round += 1) await killOnce(stage, `, number ${round}`);
}

/** Kills and starts the daemon, waits until it has read BIRD, and asserts that no carrier heard of it. */
async function killOnce(stage: Stage, which = ''): Promise<void> {
  const before = stage.timeline.wire().length;
  await stage.act(`kill -9 of the daemon${which}, and a start`, async () => {
    await stopDaemon(stage.lab.network, 'SIGKILL');
    await startDaemon(stage.lab.network);
  });
  const { overrides } = await statusSays(stage, 'BIRD was read', ({ bird }) => bird.kind === 'seen');
  if (overrides.length > 0) throw new Unexpected(`taken for a hand: ${JSON.stringify(overrides)}`);
  const events = stage.timeline.wire().slice(before);
  if (events.length > 0) throw new Unexpected(`the kill led to ${JSON.stringify(events)}`);
}

/** After the return of BIRD: the wish in `show protocols` within 2 s, the others announced, CMI kept from the route. */
async function birdCameBack(stage: Stage): Promise<void> {
  for (const family of [4, 6]) await protocolShows(stage, `announce_cmi_web${family}`, 'down', /loss/);
  for (const carrier of carrierNames) await sessionUp(stage, carrier);
  await announced(stage, 'pccw');
  await announced(stage, 'hkbn');
  await quiet(stage, 1500);
  neverHeard(stage, 'cmi', ['announce', 'drain']);
}
