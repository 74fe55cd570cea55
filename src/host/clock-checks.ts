/** What `causeway doctor` looks at on the clock: whether something keeps it, and whether it was set while the daemon ran. */
import { execa } from 'execa';
import { type Check, finding } from './doctor.ts';

/** A moment on both clocks, of one boot. */
export interface ClockMoment {
  readonly wallMillis: number;
  readonly monotonicMillis: number;
  readonly bootId: string;
}

export interface ClockContext {
  /** Of the history's entries, oldest first; empty: there is none. */
  readonly moments: () => Promise<readonly ClockMoment[]>;
  /** Wall time now, in ms. */
  readonly wallMillis: () => number;
}

const stepMillis = 1000;
const behindMillis = 5000;

export const clockChecks: readonly Check<ClockContext>[] = [
  { id: 'clock.kept', title: 'synchronised clock', run: keptFinding },
  { id: 'clock.steps', title: 'steps of the clock', run: stepsFinding },
];

async function keptFinding() {
  const { stdout, exitCode } = await execa('timedatectl', ['show', '-p', 'NTPSynchronized', '--value'], {
    reject: false,
    timeout: 5000,
  });
  const answer = stdout?.trim();
  if (exitCode !== 0 || (answer !== 'yes' && answer !== 'no'))
    return { kind: 'skipped', text: 'systemd does not say whether it is (timedatectl)' } as const;
  if (answer === 'yes') return { kind: 'ok', text: 'the kernel says that it is' } as const;
  return finding('clock-free', {
    what: 'the clock is not synchronised',
    why: 'expiries, maintenance windows and the times in the history follow it; verdicts do not',
    mend: 'timedatectl set-ntp true  # or: apt-get install chrony',
  });
}

async function stepsFinding({ moments, wallMillis }: ClockContext) {
  const known = await moments();
  const newest = known.at(-1);
  if (newest === undefined) return { kind: 'skipped', text: 'the history has no entries yet' } as const;
  const ahead = newest.wallMillis - wallMillis();
  if (ahead > behindMillis)
    return finding('clock-behind', {
      what: `the clock is ${lengthText(ahead)} behind the newest entry of the history`,
      why: 'overrides and maintenance windows would last longer than was said',
      mend: 'timedatectl  # compare with another clock; then: timedatectl set-ntp true',
    });
  const step = greatestStep(known);
  if (Math.abs(step) <= stepMillis) return { kind: 'ok', text: 'none in the history of this boot' } as const;
  return finding('clock-stepped', {
    what: `the wall clock was set ${step > 0 ? 'forward' : 'back'} by ${lengthText(Math.abs(step))} while the daemon ran`,
    why: 'expiries and maintenance windows came that much earlier or later; verdicts use the monotonic clock',
    mend: 'journalctl -b -g "time has been changed|System clock|Initial clock"  # who set it; let one NTP client slew it',
  });
}

/** Of the wall clock against the monotonic one, between entries of the newest boot; positive: forward. */
export function greatestStep(moments: readonly ClockMoment[]): number {
  const boot = moments.at(-1)?.bootId;
  const same = moments.filter(({ bootId }) => bootId === boot);
  let greatest = 0;
  for (const [index, moment] of same.entries()) {
    const before = same[index - 1];
    if (before === undefined) continue;
    const step = moment.wallMillis - before.wallMillis - (moment.monotonicMillis - before.monotonicMillis);
    if (Math.abs(step) > Math.abs(greatest)) greatest = step;
  }
  return greatest;
}

function lengthText(millis: number): string {
  const seconds = millis / 1000;
  if (seconds < 120) return `${seconds.toFixed(1)} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
