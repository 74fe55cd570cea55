/** The prober itself falls silent: that is our own fault, and no carrier's. */
import type { StatusDocument } from '../../src/types/wire/status.ts';
import { carrierNames } from '../network/names.ts';
import { quiet, Unexpected, untouched } from './expect.ts';
import { healthyAgain, statusSays } from './expect-node.ts';
import type { Scenario, Stage } from './stage.ts';

export const proberScenarios: readonly Scenario[] = [
  {
    name: 'prober-frozen',
    summary:
      'SIGSTOP of the prober: health becomes unknown with an alarm, announcements stay, a new prober measures',
    async run(stage) {
      const pid = await proberPid(stage);
      await stage.act('SIGSTOP of the prober', async () => void process.kill(pid, 'SIGSTOP'));
      try {
        await statusSays(
          stage,
          'alarm prober-silent, every uplink unknown, every announcement kept',
          ({ alarms, uplinks }) =>
            alarms.some(({ code }) => code === 'prober-silent') &&
            uplinks.every(({ families }) => [families['4'], families['6']].every(isUnknownAndKept)),
        );
        // It is killed after six seconds of silence, and what the new one measures counts at once.
        await statusSays(
          stage,
          'another prober',
          ({ prober }) => prober.kind === 'running' && prober.pid !== pid,
          60_000,
        );
      } finally {
        resume(pid);
      }
      await healthyAgain(stage);
      await quiet(stage, 2000);
      await untouched(stage, ...carrierNames);
    },
  },
];

type FamilyStatus = StatusDocument['uplinks'][number]['families']['4'];

function isUnknownAndKept(family: FamilyStatus): boolean {
  return family?.health === 'unknown' && family.announcements.every(({ wish }) => wish === 'announce');
}

async function proberPid(stage: Stage): Promise<number> {
  const { prober } = await statusSays(stage, 'a prober', ({ prober: one }) => one.kind === 'running');
  if (prober.kind !== 'running') throw new Unexpected(`the prober is ${prober.kind}`);
  return prober.pid;
}

/** Where the daemon has killed it meanwhile, there is nothing to resume. */
function resume(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT');
  } catch {
    // Gone, as it should be.
  }
}
