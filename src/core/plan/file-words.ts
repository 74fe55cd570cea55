/**
 * The words that begin a description in the owned file. They tell people why a protocol is down, and they tell us,
 * from BIRD's own view, whether the text that BIRD last parsed had the protocol disabled: BIRD forgets the message of
 * a `birdc disable` at any `configure`, but shows the description it parsed.
 */
const whileDown = ['withdrawn: ', 'not drained', 'by hand: ', 'avoided: '] as const;

export const fileWords = {
  announced: 'announced: ',
  withdrawn: 'withdrawn: ',
  drained: 'drained: ',
  notDrained: 'not drained',
  byHand: 'by hand: ',
  avoided: 'avoided: ',
} as const;

/** Begins the reason of what an orderly stop of the daemon took down. */
export const stopWords = 'the daemon was stopped';

/** Whether people, and no verdict, made it so: an override, a window, or a stop of the daemon. Such returns without a hold. */
export function isWordOfPeople(reason: string): boolean {
  return reason.startsWith(stopWords) || /^(announce|drain|withdraw) (by|for maintenance)\b/.test(reason);
}

/** Whether a description is one that goes with `disabled yes`. */
export function isDownDescription(description: string | null): boolean {
  return description !== null && whileDown.some((word) => description.startsWith(word));
}

/** The hand's reason in a description such as `by hand: ticket 42`; null: not a hand's. */
export function handReason(description: string): string | null {
  return description.startsWith(fileWords.byHand) ? description.slice(fileWords.byHand.length) : null;
}

/** The reason behind any of the words, without them. */
export function reasonIn(description: string): string {
  const word = Object.values(fileWords).find((one) => description.startsWith(one)) ?? '';
  return description.slice(word.length);
}
