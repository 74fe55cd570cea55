/** Operators at work: overrides with an end, release of a hand, freeze and thaw, maintenance windows, planned stops. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isolation, blackHole } from '../faults/packet-filter.ts';
import { carrierNames } from '../network/names.ts';
import { readPidFile } from '../network/process.ts';
import { waitUntil } from '../network/wait.ts';
import { askNodeBird } from '../node/bird.ts';
import { nodeFiles } from '../node/config.ts';
import { writeMaintenance, type WindowPlan } from '../node/maintenance.ts';
import { causeway, daemonPidFile, signalDaemon, startDaemon, stopDaemon } from '../node/program.ts';
import { startUsers, stopUsers } from '../node/users.ts';
import { announced, drained, gone, heard, quiet, sessionsLived, Unexpected, untouched } from './expect.ts';
import { healthyAgain, protocolShows, statusSays } from './expect-node.ts';
import type { Scenario, Stage } from './stage.ts';

const because = ['--reason', 'ticket 42', '--author', 'kim'];

export const operatorScenarios: readonly Scenario[] = [
  {
    name: 'operator-drain',
    summary:
      '`status`, `force announce` and `drain cmi --for 15s`, given while nothing but loopback passes: kept over kill -9 and `birdc configure`, ends by itself',
    // Three commands take a busy machine many seconds, and neither an uplink nor a session shall be judged by this cut.
    node: { patience: '15s', sessionHold: '120s' },
    async run(stage) {
      const cut = isolation();
      await stage.hit(cut);
      await operator(stage, 'status');
      await operator(stage, 'drain', 'cmi', '--for', '15s', ...because);
      await operator(stage, 'force', 'announce', 'pccw', '--for', '15s', ...because);
      await stage.mend(cut);
      await drained(stage, 'cmi');
      await killAndStart(stage);
      await stage.act('birdc configure', () => askNodeBird(stage.lab.network, 'configure'));
      await protocolShows(stage, 'drain_cmi_web4', 'up');
      await announced(stage, 'cmi');
      await healthyAgain(stage);
      heard(stage, 'cmi', ['drain', 'announce']);
      await sessionsLived(stage);
      await untouched(stage, 'pccw', 'hkbn');
    },
  },
  {
    name: 'operator-release',
    summary:
      '`causeway release` ends a hand in BIRD and a forced withdrawal; neither comes back, also after kill -9',
    async run(stage) {
      await stage.act('birdc disable', () =>
        askNodeBird(stage.lab.network, 'disable "*_cmi_web4" "ticket 43"'),
      );
      await gone(stage, 'cmi', { families: [4] });
      await statusSays(stage, 'adopted', ({ overrides }) =>
        overrides.some(({ author }) => author === 'birdc'),
      );
      await operator(stage, 'release', 'cmi');
      await announced(stage, 'cmi', { families: [4] });
      await killAndStart(stage);
      await operator(stage, 'force', 'withdraw', 'cmi', '--family', '6', '--until', 'never', ...because);
      await gone(stage, 'cmi', { families: [6] });
      await killAndStart(stage);
      await protocolShows(stage, 'announce_cmi_web6', 'down', /withdraw by kim: ticket 42/);
      await operator(stage, 'release', 'cmi');
      await announced(stage, 'cmi');
      await healthyAgain(stage);
      heard(stage, 'cmi', ['withdraw', 'announce'], [4]);
      heard(stage, 'cmi', ['withdraw', 'announce'], [6]);
      await untouched(stage, 'pccw', 'hkbn');
    },
  },
  {
    name: 'freeze-in-a-fault',
    summary:
      'frozen by `touch` in the bad seconds of a black hole, within 1 s: nothing moves, also after kill -9; an operator acts; the thaw withdraws',
    async run(stage) {
      const hole = blackHole({ carrier: 'cmi' });
      await stage.hit(hole);
      await quiet(stage, 1500);
      await touchFreeze(stage);
      await statusSays(stage, 'held: frozen', ({ uplinks }) =>
        uplinks.some(({ families }) =>
          families['4']?.announcements.some(({ held }) => held?.guard === 'frozen'),
        ),
      );
      await quiet(stage, 1500);
      await killAndStart(stage);
      await operator(stage, 'drain', 'pccw', '--for', '1h', '--family', '4', ...because);
      await drained(stage, 'pccw', { families: [4] });
      await operator(stage, 'release', 'pccw');
      await announced(stage, 'pccw', { families: [4] });
      heard(stage, 'cmi', []);
      await statusSays(stage, 'failed again', ({ uplinks }) =>
        uplinks.some(
          ({ families }) => families['4']?.health === 'failed' && families['6']?.health === 'failed',
        ),
      );
      await operator(stage, 'thaw', '--yes');
      await gone(stage, 'cmi');
      await stage.mend(hole);
      await announced(stage, 'cmi');
      heard(stage, 'cmi', ['withdraw', 'announce']);
      await healthyAgain(stage);
      await untouched(stage, 'hkbn');
    },
  },
  {
    name: 'maintenance-window',
    summary: 'a window drains ahead, withdraws, survives kill -9 in its middle, and restores without a hold',
    node: { patience: '2s', recovery: { clean: '3s', hold: '60s' } },
    async run(stage) {
      await withWindow(stage, { startsIn: 'a while' });
      await drained(stage, 'cmi');
      await withWindow(stage, { startsIn: 'the past', leftMillis: 12_000 });
      await gone(stage, 'cmi');
      await killAndStart(stage);
      await announced(stage, 'cmi');
      await healthyAgain(stage);
      await withWindow(stage, null);
      heard(stage, 'cmi', ['drain', 'withdraw', 'announce']);
      await sessionsLived(stage);
      await untouched(stage, 'pccw', 'hkbn');
    },
  },
  {
    name: 'stop-withdraws',
    summary:
      'SIGTERM with on_stop: withdraw: it ends when no carrier has the route; the next start announces without a hold',
    node: { onStop: 'withdraw', patience: '2s', recovery: { clean: '3s', hold: '60s' } },
    async run(stage) {
      await stage.act('SIGTERM', async () => signalDaemon(stage.lab.network, 'SIGTERM'));
      await ended(stage);
      for (const carrier of carrierNames) await gone(stage, carrier);
      await quiet(stage, 1000);
      await stage.act('the daemon is started', () => startDaemon(stage.lab.network));
      for (const carrier of carrierNames) await announced(stage, carrier);
      await healthyAgain(stage);
      for (const carrier of carrierNames) heard(stage, carrier, ['withdraw', 'announce']);
      await sessionsLived(stage);
    },
  },
  {
    name: 'stop-drains',
    summary:
      'SIGTERM with on_stop: drain: all is drained, it waits for the users, is killed meanwhile and started; the next time it ends as they leave',
    node: { onStop: 'drain', patience: '2s', recovery: { clean: '3s', hold: '60s' } },
    async run(stage) {
      const { network } = stage.lab;
      await startUsers(network, 'cmi');
      try {
        await quiet(stage, 3000);
        await stage.act('SIGTERM', async () => signalDaemon(network, 'SIGTERM'));
        for (const carrier of carrierNames) await drained(stage, carrier);
        await stage.act('kill -9 of the daemon, and a start', () => killAndStartAgain(stage));
        for (const carrier of carrierNames) await announced(stage, carrier);
        await healthyAgain(stage);
        await stage.act('SIGTERM', async () => signalDaemon(network, 'SIGTERM'));
        for (const carrier of carrierNames) await drained(stage, carrier);
        await quiet(stage, 4500);
        if (readPidFile(daemonPidFile(network)) === null)
          throw new Unexpected('the daemon ended while users were still there');
        await stage.act('the users leave', () => stopUsers(network));
        await ended(stage);
      } finally {
        await stopUsers(network);
      }
      await stage.act('the daemon is started', () => startDaemon(network));
      for (const carrier of carrierNames) await announced(stage, carrier);
      await healthyAgain(stage);
      for (const carrier of carrierNames) heard(stage, carrier, ['drain', 'announce', 'drain', 'announce']);
      await sessionsLived(stage);
    },
  },
];

function operator(stage: Stage, ...words: readonly string[]): Promise<void> {
  return stage.act(`causeway ${words.join(' ')}`, () => causeway(stage.lab.network, words));
}

/** By the file, as one does without the command; the daemon's own log says when it saw it. */
async function touchFreeze(stage: Stage): Promise<void> {
  await stage.act('touch freeze', async () =>
    writeFileSync(join(nodeFiles(stage.lab.network).state, 'freeze'), 'ticket 42\n'),
  );
  const touched = stage.lastChange().at;
  const seen = await waitUntil('the freeze to be seen', () =>
    stage.timeline.entries().find(({ kind, text }) => kind === 'operator' && text.startsWith('wish frozen')),
  );
  stage.measured.set('touch freeze → frozen', seen.at - touched);
  if (seen.at - touched > 1000) throw new Unexpected(`frozen only after ${seen.at - touched} ms`);
}

/** A new config with this window, taken by a running daemon. */
async function withWindow(stage: Stage, plan: WindowPlan | null): Promise<void> {
  const what = plan === null ? 'no window' : `a window on cmi that begins in ${plan.startsIn}`;
  await stage.act(`reload with ${what}`, async () => {
    writeMaintenance(stage.lab.network, plan);
    await causeway(stage.lab.network, ['reload']);
  });
}

async function killAndStartAgain({ lab }: Stage): Promise<void> {
  await stopDaemon(lab.network, 'SIGKILL');
  await startDaemon(lab.network);
}

/** No carrier hears of it. */
async function killAndStart(stage: Stage): Promise<void> {
  const before = stage.timeline.wire().length;
  await stage.act('kill -9 of the daemon, and a start', () => killAndStartAgain(stage));
  await statusSays(stage, 'BIRD was read', ({ bird }) => bird.kind === 'seen');
  const events = stage.timeline.wire().slice(before);
  if (events.length > 0) throw new Unexpected(`the kill led to ${JSON.stringify(events)}`);
}

/** Waits until the daemon has ended by itself. */
async function ended(stage: Stage): Promise<void> {
  const pidFile = daemonPidFile(stage.lab.network);
  await waitUntil('the daemon to end', () => readPidFile(pidFile) === null, { timeoutMillis: 30_000 });
}
