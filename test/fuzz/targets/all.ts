/** Every fuzz target, by the name that is typed after `npm run fuzz --`. */
import type { FuzzTarget } from '../target.ts';
import { birdTarget } from './bird.ts';
import { configTarget, edgeTarget, rulesTarget } from './config.ts';
import { geodnsHttpTarget } from './geodns-http.ts';
import { httpTarget } from './http.ts';
import { snapshotTarget } from './snapshot.ts';
import { stateTarget } from './state.ts';
import { dnsTarget, icmpTarget, redisTarget } from './wire.ts';

export const fuzzTargets: readonly FuzzTarget[] = [
  birdTarget,
  configTarget,
  rulesTarget,
  edgeTarget,
  stateTarget,
  httpTarget,
  geodnsHttpTarget,
  dnsTarget,
  icmpTarget,
  redisTarget,
  snapshotTarget,
];
