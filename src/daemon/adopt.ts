/**
 * What a start finds: the owned file holds the wish that was in force, whoever died in between, and its descriptions
 * say whether a hand or a verdict made it so. Nothing changes until verdicts exist.
 */
import type { FileState } from '../../bird/file-states.ts';
import type { DecideMemory, Standing, Wished } from '../core/decide/memory.ts';
import { subjectsOf, subjectKey } from '../core/hands/subject.ts';
import { handReason, isWordOfPeople, reasonIn } from '../core/plan/file-words.ts';
import type { NodeConfig } from '../types/config.ts';
import type { Override } from '../types/override.ts';
import { announceName, drainName } from '../types/protocol-names.ts';

/** The states in force, from the file; a standing that was remembered and agrees is kept as it was. */
export function adoptStanding(
  config: NodeConfig,
  file: ReadonlyMap<string, FileState>,
  remembered: DecideMemory,
): DecideMemory {
  const standing: Record<string, Standing> = {};
  const wished: Record<string, Wished> = {};
  for (const { subject } of subjectsOf(config).values()) {
    if (subject.kind !== 'announcement') continue;
    const key = subjectKey(subject);
    const announce = file.get(announceName(subject.uplink, subject.service, subject.family));
    const drain = file.get(drainName(subject.uplink, subject.service, subject.family));
    const known = remembered.standing[key];
    const last = remembered.wished[key];
    if (announce === undefined || drain === undefined) {
      if (known !== undefined) standing[key] = known;
      if (last !== undefined) wished[key] = last;
      continue;
    }
    const found = standingIn(announce, drain);
    // The file holds the last wish; what stands beneath an override or a service that is not ready is remembered.
    const agrees = known !== undefined && (last?.state ?? known.state) === found.state;
    standing[key] = agrees ? known : found;
    if (agrees && last !== undefined) wished[key] = last;
  }
  return { ...remembered, standing, wished };
}

/** Whether a verdict took something away after the checkpoint was written, which the file holds and it does not. */
export function isOlderThanFile(remembered: DecideMemory, adopted: DecideMemory): boolean {
  return Object.entries(adopted.standing).some(([key, { state, byVerdict }]) => {
    const known = remembered.standing[key];
    return byVerdict && known !== undefined && known.state !== state;
  });
}

function standingIn(announce: FileState, drain: FileState): Standing {
  if (!drain.disabled) return asFound('drain', drain.description);
  return announce.disabled
    ? asFound('withdraw', announce.description)
    : asFound('announce', announce.description);
}

function asFound(state: Standing['state'], description: string): Standing {
  const reason = reasonIn(description);
  const byPeople = handReason(description) !== null || isWordOfPeople(reason);
  const byVerdict = state !== 'announce' && !byPeople;
  return { state, reason: 'as-found', text: reason || `${state} as found`, byVerdict };
}

/** Hands that the file remembers and the list of overrides does not (a state folder that was lost). */
export function adoptHands(
  config: NodeConfig,
  file: ReadonlyMap<string, FileState>,
  overrides: readonly Override[],
  at: string,
): readonly Override[] {
  const adopted = new Map(overrides.map((one) => [subjectKey(one.subject), one]));
  for (const [name, { subject }] of subjectsOf(config)) {
    const state = file.get(name);
    const reason = state?.disabled === true ? handReason(state.description) : null;
    if (reason === null || adopted.has(subjectKey(subject))) continue;
    adopted.set(subjectKey(subject), {
      subject,
      state: 'withdraw',
      author: 'birdc',
      reason,
      at,
      expires: null,
    });
  }
  return [...adopted.values()];
}
