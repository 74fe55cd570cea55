/** A comparison of a replay for people and for programs. Pure; the same comparison gives the same text. */
import type { ComparedRow, Comparison } from '../core/replay/compare.ts';
import type { Episode } from '../core/replay/episodes.ts';
import type { RecordedWish, RecordingHead } from '../core/replay/recording.ts';

/** `policy`: the file that was decided by; null: the recorded one. */
export function comparisonText(head: RecordingHead, policy: string | null, found: Comparison): string {
  const { rows, happened, would, onlyHappened, onlyWould } = found;
  const by = policy ?? 'the recorded policy';
  const time = (atMillis: number): string => wallTime(head, atMillis).slice(11, 23);
  return [
    `${head.node}: ${wallTime(head, 0)} to ${wallTime(head, found.lengthMillis)}: ${found.ticks} ticks, ${found.samples} probes`,
    `${'time (UTC)'.padEnd(13)} ${'announcement'.padEnd(20)} ${'happened'.padEnd(34)} by ${by}`,
    ...rows.map((row) => rowText(row, time)),
    `withdrawals: ${happened.withdrawals} happened, ${would.withdrawals} by ${by}`,
    `changes: ${happened.changes} happened, ${would.changes} by ${by}`,
    ...onlyHappened.map((one) => `would not have been: ${episodeText(one, time)}`),
    ...onlyWould.map((one) => `would have been besides: ${episodeText(one, time)}`),
    `the two wished another state for ${found.disagreementSeconds.toFixed(1)} announcement-seconds`,
  ].join('\n');
}

export function comparisonJson(head: RecordingHead, policy: string | null, found: Comparison): string {
  const { rows, onlyHappened, onlyWould, ...totals } = found;
  const place = (one: Episode) => ({
    ...one.wish,
    from: wallTime(head, one.fromMillis),
    to: wallTime(head, one.toMillis),
  });
  return JSON.stringify(
    {
      schema: 1,
      node: head.node,
      from: wallTime(head, 0),
      to: wallTime(head, found.lengthMillis),
      policy,
      ...totals,
      onlyHappened: onlyHappened.map(place),
      onlyWould: onlyWould.map(place),
      rows: rows.map(({ atMillis, happened, would }) => ({ at: wallTime(head, atMillis), happened, would })),
    },
    null,
    2,
  );
}

function rowText({ atMillis, happened, would }: ComparedRow, time: (atMillis: number) => string): string {
  const differs = happened.state === would.state ? '' : '  differs';
  const left = wordOf(happened).padEnd(34);
  return `${time(atMillis).padEnd(13)} ${placeOf(happened).padEnd(20)} ${left} ${wordOf(would)}${differs}`;
}

function episodeText({ wish, fromMillis, toMillis }: Episode, time: (atMillis: number) => string): string {
  return `${placeOf(wish)} withdrawn ${time(fromMillis)} to ${time(toMillis)} (${wish.reason})`;
}

function placeOf({ uplink, family, service }: RecordedWish): string {
  return `${uplink} IPv${family} ${service}`;
}

function wordOf({ state, reason, guard }: RecordedWish): string {
  return guard === null ? `${state} (${reason})` : `${state} (${reason}, held: ${guard})`;
}

function wallTime(head: RecordingHead, atMillis: number): string {
  return new Date(Date.parse(head.wallAt) + Math.round(atMillis)).toISOString();
}
