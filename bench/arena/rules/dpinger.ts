/**
 * dpinger as pfSense starts it: one echo every 500 ms to one target, unanswered for 2 s is lost, loss in whole
 * percent over the last 60 s, looked at each second; above 20 % is the alarm, and ten looks at or below end it.
 * dpinger.c 3.x (`report`, `alert_thread`, ALARM_DECAY_PERIODS 10) and pfSense's gateway defaults (interval 500, loss
 * interval 2000, time period 60000, high packet loss 20). Late replies un-lose a probe there; here none comes late.
 */
import type { Rule, Run, Ruling } from './rule.ts';
import { makeLedger } from './rule.ts';

const sendMillis = 500;
const lossMillis = 2000;
const periodMillis = 60_000;
const lookMillis = 1000;
const alarmPercent = 20;
const decayLooks = 10;
const slots = periodMillis / sendMillis;

export const dpingerRule: Rule = {
  name: 'dpinger-rule',
  pinnedBy:
    'pfSense gateway defaults: 500 ms, loss after 2 s, 60 s window, alarm above 20 %, 10 looks to clear',
  run: play,
};

function play(run: Run): Ruling {
  const ledger = makeLedger(run);
  const lost = new Uint8Array(slots);
  const oldest = lossMillis / sendMillis;
  let sent = 0;
  // Of the probes that are old enough to count as lost.
  let lostCount = 0;
  let decay = 0;
  const phase = run.random() * sendMillis;
  for (let at = phase; at < run.untilMillis && !ledger.over(); at += sendMillis) {
    const slot = sent % slots;
    lostCount -= sent >= slots ? (lost[slot] ?? 0) : 0;
    lost[slot] = run.path.loses({ target: 0, kind: 'icmp', atMillis: at }) ? 1 : 0;
    sent += 1;
    const due = sent - 1 - oldest;
    if (due >= 0) lostCount += lost[due % slots] ?? 0;
    if ((sent * sendMillis) % lookMillis !== 0) continue;
    const open = Math.min(sent, oldest);
    // What is neither answered nor lost yet is in neither sum.
    const answered = Math.min(sent, slots) - lostCount - openLosses(lost, sent, open);
    const percent = lostCount === 0 ? 0 : Math.floor((lostCount * 100) / (answered + lostCount));
    if (percent > alarmPercent) decay = decayLooks;
    else if (decay > 0) decay -= 1;
    ledger.set(decay > 0, at + sendMillis);
  }
  return ledger.ruling();
}

function openLosses(lost: Uint8Array, sent: number, open: number): number {
  let sum = 0;
  for (let back = 1; back <= open; back += 1) sum += lost[(sent - back) % slots] ?? 0;
  return sum;
}
