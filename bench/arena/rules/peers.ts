/** The rules beside ours. Each is pinned by its documented constants; none of them is the tool itself. */
import { consecutiveRule } from './consecutive.ts';
import { dpingerRule } from './dpinger.ts';
import { mwan3Rule } from './mwan3.ts';
import type { Rule } from './rule.ts';

/** What operators of such nodes have today: a loop in a shell script. */
const originScript = consecutiveRule(
  'origin-script',
  'the script that Causeway replaces: 5 pings, one a second, every 10 s; acts only when all are lost',
  { everyMillis: 10_000, pings: 5, pingGapMillis: 1000, timeoutMillis: 1000, fall: 1, rise: 1 },
);

/** anycast-healthchecker README: check_interval 10, check_timeout 2, check_rise 2, check_fail 2; the check: one ping. */
const anycastHealthchecker = consecutiveRule(
  'anycast-healthchecker-rule',
  'README defaults: check_interval 10 s, check_timeout 2 s, check_rise 2, check_fail 2; the check is one ping',
  { everyMillis: 10_000, pings: 1, pingGapMillis: 0, timeoutMillis: 2000, fall: 2, rise: 2 },
);

/** keepalived.conf(5), vrrp_script: interval 1 s, timeout as long as the interval, rise 1, fall 1; the script: one ping. */
const keepalived = consecutiveRule(
  'keepalived-rule',
  'keepalived.conf(5) vrrp_script defaults: interval 1 s, timeout 1 s, rise 1, fall 1; the script is one ping',
  { everyMillis: 1000, pings: 1, pingGapMillis: 0, timeoutMillis: 1000, fall: 1, rise: 1 },
);

export const peerRules: readonly Rule[] = [
  originScript,
  dpingerRule,
  mwan3Rule,
  anycastHealthchecker,
  keepalived,
];
