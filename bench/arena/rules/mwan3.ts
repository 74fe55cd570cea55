/**
 * mwan3track's rule with its script's defaults (openwrt/packages, net/mwan3/files/usr/sbin/mwan3track: reliability 1,
 * count 1, timeout 4, interval 10, down 5, up 5): in each round the targets are pinged one after the other until one
 * answers; five rounds without any answer in a row are `offline`, five with one `online`. Given all four targets.
 */
import type { Rule, Run, Ruling } from './rule.ts';
import { makeLedger } from './rule.ts';

const targets = 4;
const timeoutMillis = 4000;
const sleepMillis = 10_000;
const down = 5;
const up = 5;
const answerMillis = 40;

export const mwan3Rule: Rule = {
  name: 'mwan3-rule',
  pinnedBy:
    'mwan3track defaults: 4 track_ip, reliability 1, count 1, timeout 4 s, interval 10 s, down 5, up 5',
  run: play,
};

function play(run: Run): Ruling {
  const ledger = makeLedger(run);
  let score = down + up;
  for (let at = run.random() * sleepMillis; at < run.untilMillis && !ledger.over(); at += sleepMillis) {
    let answered = false;
    for (let target = 0; target < targets && !answered; target += 1) {
      answered = !run.path.loses({ target, kind: 'icmp', atMillis: at });
      at += answered ? answerMillis : timeoutMillis;
    }
    score = nextScore(score, answered);
    ledger.set(score < up, at);
  }
  return ledger.ruling();
}

/** The script's ladder: it jumps to 0 when it falls to `up`, and to the top when it rises above it. */
function nextScore(score: number, answered: boolean): number {
  if (!answered) return score - 1 <= up ? 0 : score - 1;
  return score + 1 >= up ? down + up : score + 1;
}
