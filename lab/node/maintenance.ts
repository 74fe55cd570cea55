/** Maintenance windows of the lab's node, placed around the present minute: cron knows nothing shorter. */
import { readFileSync, writeFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import type { Network } from '../network/network.ts';
import { nodeFiles } from './config.ts';

/** A withdrawal of cmi: one that is still ahead (drained by now), or one that is open and ends soon. */
export type WindowPlan =
  | { readonly startsIn: 'a while' }
  | { readonly startsIn: 'the past'; readonly leftMillis: number };

const minuteMillis = 60_000;

/** Writes the window into the config; null: none. The daemon must be told to reload. */
export function writeMaintenance(network: Network, plan: WindowPlan | null): void {
  const { config } = nodeFiles(network);
  const before: Record<string, unknown> = { ...(parse(readFileSync(config, 'utf8')) as object) };
  writeFileSync(
    config,
    stringify({ ...before, maintenance: plan === null ? [] : [windowOf(plan, Date.now())] }),
  );
}

function windowOf(plan: WindowPlan, now: number): Readonly<Record<string, unknown>> {
  const base = { uplink: 'cmi', timezone: 'Asia/Hong_Kong', state: 'withdraw', reason: 'carrier window' };
  if (plan.startsIn === 'a while')
    return { ...base, ...patternAt(now + 30 * minuteMillis), duration: '1h', drain_before: '45min' };
  // A window is a minute long at least, so it began in the minute before this one.
  const start = Math.floor(now / minuteMillis) * minuteMillis - minuteMillis;
  const durationMillis = Math.round(now - start + plan.leftMillis);
  return { ...base, ...patternAt(start), duration: `${durationMillis}ms`, drain_before: '0s' };
}

/** Hong Kong is eight hours ahead, and has no summer time. */
function patternAt(millis: number): { readonly cron: string } {
  const local = new Date(millis + 8 * 60 * minuteMillis);
  return {
    cron: `${local.getUTCMinutes()} ${local.getUTCHours()} ${local.getUTCDate()} ${local.getUTCMonth() + 1} *`,
  };
}
