/** HAProxy on the node dies and returns, and the node reboots: the service is announced only when it is ready. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { families } from '../../src/types/units.ts';
import { carrierNames } from '../network/names.ts';
import { startNodeBird, stopNodeBird } from '../node/bird.ts';
import { nodeFiles, readinessPace } from '../node/config.ts';
import { startHaproxy, stopHaproxy } from '../node/haproxy.ts';
import { causeway, startDaemon, stopDaemon } from '../node/program.ts';
import { announced, drained, gone, heard, quiet, sessionsLived, sessionUp, Unexpected } from './expect.ts';
import { healthyAgain, protocolShows, statusSays } from './expect-node.ts';
import type { Scenario, Stage } from './stage.ts';

export const readinessScenarios: readonly Scenario[] = [
  {
    name: 'service-not-ready',
    summary:
      'HAProxy on the node dies: the service drains on all uplinks; it returns, and is announced only after its rise',
    node: { readiness: { alone: 'drain', boot: 'as-left' } },
    async run(stage) {
      await stage.act('HAProxy dies', () => stopHaproxy(stage.lab.network));
      for (const carrier of carrierNames) await drained(stage, carrier);
      await statusSays(
        stage,
        'web is not ready, with an alarm',
        ({ services, alarms }) =>
          services?.[0]?.readiness === 'not-ready' && alarms.some(({ code }) => code === 'not-ready'),
      );
      await killDaemonOnce(stage);
      await quiet(stage, 2000);
      await stage.act('HAProxy starts', () => startHaproxy(stage.lab.network));
      for (const carrier of carrierNames) await announced(stage, carrier);
      notBeforeRise(stage);
      await healthyAgain(stage);
      for (const carrier of carrierNames) heard(stage, carrier, ['drain', 'announce']);
      await sessionsLived(stage);
    },
  },
  {
    name: 'boot-hold',
    summary:
      'a reboot with on_boot: hold: the service comes up withdrawn and is announced when HAProxy is ready',
    node: { readiness: { alone: 'withdraw', boot: 'hold' } },
    async run(stage) {
      const { network } = stage.lab;
      await stage.act('HAProxy dies', () => stopHaproxy(network));
      for (const carrier of carrierNames) await gone(stage, carrier);
      await stage.act('HAProxy starts', () => startHaproxy(network));
      for (const carrier of carrierNames) await announced(stage, carrier);
      notBeforeRise(stage);
      await stage.act('the node goes down, and comes up without HAProxy', () => reboot(stage));
      for (const carrier of carrierNames) await sessionUp(stage, carrier);
      await nothingAnnounced(stage);
      await stage.act('the daemon starts', () => startDaemon(network));
      await statusSays(stage, 'the service is booting', ({ uplinks }) =>
        uplinks.every(({ families: f }) => f['4']?.announcements.every(({ reason }) => reason === 'booting')),
      );
      await protocolShows(stage, 'announce_cmi_web4', 'down', /since the boot/);
      await quiet(stage, 1000);
      await nothingAnnounced(stage);
      await stage.act('HAProxy starts', () => startHaproxy(network));
      for (const carrier of carrierNames) await announced(stage, carrier);
      notBeforeRise(stage);
      await healthyAgain(stage);
    },
  },
];

/** Processes end, the file stays, and a new boot has not been seen to. */
async function reboot({ lab }: Stage): Promise<void> {
  const { network } = lab;
  await stopDaemon(network, 'SIGKILL');
  await stopNodeBird(network, 'SIGTERM');
  await stopHaproxy(network);
  rmSync(join(nodeFiles(network).state, 'booted'), { force: true });
  rmSync(join(nodeFiles(network).state, 'checkpoint.json'), { force: true });
  await causeway(network, ['boot']);
  await startNodeBird(network);
}

async function killDaemonOnce(stage: Stage): Promise<void> {
  await stage.act('kill -9, and the daemon starts again', async () => {
    await stopDaemon(stage.lab.network, 'SIGKILL');
    await startDaemon(stage.lab.network);
  });
}

/** `rise` passes take (rise - 1) intervals, and the first of them comes after the lab's last act. */
function notBeforeRise(stage: Stage): void {
  const { at: since, text } = stage.lastChange();
  const soonest = since + (readinessPace.rise - 1) * readinessPace.intervalMillis;
  const events = stage.timeline.wire().filter((event) => event.at >= since && event.kind === 'announced');
  for (const carrier of carrierNames) {
    const first = events.find((event) => event.carrier === carrier);
    if (first === undefined) throw new Unexpected(`${carrier} heard no announcement after ${text}`);
    if (first.at < soonest)
      throw new Unexpected(
        `${carrier} heard an announcement ${Math.round(soonest - first.at)} ms before the rise`,
      );
  }
}

async function nothingAnnounced({ lab }: Stage): Promise<void> {
  const views = await lab.observer.views();
  for (const carrier of carrierNames)
    for (const family of families)
      if (views[carrier].routes[family] !== null)
        throw new Unexpected(`${carrier} holds the IPv${family} route of a service that is not ready`);
}
