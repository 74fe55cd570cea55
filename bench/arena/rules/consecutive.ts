/**
 * Rules that check one target now and then and count failed checks in a row: a check is failed when all its pings are
 * lost, and is known when the last one has timed out.
 */
import type { Rule, Run, Ruling } from './rule.ts';
import { makeLedger } from './rule.ts';

export interface ConsecutiveRule {
  readonly everyMillis: number;
  readonly pings: number;
  readonly pingGapMillis: number;
  readonly timeoutMillis: number;
  /** Failed checks in a row that make it failed, and good ones that end it. */
  readonly fall: number;
  readonly rise: number;
}

/** A rule of this kind. */
export function consecutiveRule(name: string, pinnedBy: string, constants: ConsecutiveRule): Rule {
  return { name, pinnedBy, run: (run) => play(constants, run) };
}

function play(rule: ConsecutiveRule, run: Run): Ruling {
  const ledger = makeLedger(run);
  let failed = false;
  let opposite = 0;
  for (
    let at = run.random() * rule.everyMillis;
    at < run.untilMillis && !ledger.over();
    at += rule.everyMillis
  ) {
    const lost = allLost(rule, run, at);
    const against = lost !== failed;
    opposite = against ? opposite + 1 : 0;
    if (opposite < (failed ? rule.rise : rule.fall)) continue;
    failed = !failed;
    opposite = 0;
    ledger.set(failed, at + (rule.pings - 1) * rule.pingGapMillis + (lost ? rule.timeoutMillis : 0));
  }
  return ledger.ruling();
}

function allLost(rule: ConsecutiveRule, run: Run, at: number): boolean {
  let lost = 0;
  for (let ping = 0; ping < rule.pings; ping += 1) {
    const probe = { target: 0, kind: 'icmp', atMillis: at + ping * rule.pingGapMillis } as const;
    if (run.path.loses(probe)) lost += 1;
  }
  return lost === rule.pings;
}
