/** `systemd`: whether a unit is active, as the machine's own systemd says. */
import { execa } from 'execa';
import type { ReadyOutcome } from '../../types/ready-outcome.ts';

/** Asks once; `signal` ends it. A systemd that cannot be asked says nothing of the unit: `not-run`. */
export async function checkSystemd(unit: string, signal: AbortSignal): Promise<ReadyOutcome> {
  const args = [
    'show',
    '--no-pager',
    '--property=LoadState',
    '--property=ActiveState',
    '--property=SubState',
    '--',
    unit,
  ];
  const result = await execa('systemctl', args, {
    reject: false,
    stdin: 'ignore',
    cancelSignal: signal,
    forceKillAfterDelay: 1000,
    env: { LC_ALL: 'C' },
  });
  if (result.exitCode === 0) return judgeUnit(result.stdout);
  const [line = ''] = result.stderr.split('\n');
  const why = result.exitCode === undefined ? (result.code ?? result.shortMessage) : line;
  return {
    kind: 'not-run',
    text: `systemctl: ${why === '' ? `exit code ${result.exitCode}` : why}`.slice(0, 160),
  };
}

/** Properties as `systemctl show` prints them: `ActiveState=active`, one a line. */
export function judgeUnit(text: string): ReadyOutcome {
  const field = (name: string): string | undefined =>
    text
      .split('\n')
      .find((line) => line.startsWith(`${name}=`))
      ?.slice(name.length + 1);
  const [load, active, sub] = [field('LoadState'), field('ActiveState'), field('SubState')];
  if (active === undefined || load === undefined || sub === undefined)
    return { kind: 'not-run', text: 'systemctl printed no state' };
  // A unit that reloads goes on serving.
  if (active === 'active' || active === 'reloading') return { kind: 'pass', text: `${active} (${sub})` };
  return { kind: 'fail', text: load === 'loaded' ? `${active} (${sub})` : `the unit is ${load}` };
}
