/**
 * What a start finds in BIRD and not in the file: a withdrawal or drain goes out beside the write of its file, so a daemon
 * that dies between the two leaves BIRD ahead of the file. The carrier has it already; returning it is for verdicts.
 */
import type { FileState } from '../../bird/file-states.ts';
import type { DecideMemory, Standing } from '../core/decide/memory.ts';
import { subjectKey, subjectsOf } from '../core/hands/subject.ts';
import { isWordOfPeople } from '../core/plan/file-words.ts';
import type { BirdSeen } from '../types/bird-view.ts';
import type { NodeConfig } from '../types/config.ts';
import { announceName, drainName, ownMessagePrefix } from '../types/protocol-names.ts';

/** With those standings as BIRD shows them; null: BIRD is ahead of the file nowhere. */
export function adoptSeen(
  config: NodeConfig,
  file: ReadonlyMap<string, FileState>,
  seen: BirdSeen,
  memory: DecideMemory,
): DecideMemory | null {
  const ahead: Record<string, Standing> = {};
  for (const { subject } of subjectsOf(config).values()) {
    if (subject.kind !== 'announcement') continue;
    const announce = announceName(subject.uplink, subject.service, subject.family);
    const drain = drainName(subject.uplink, subject.service, subject.family);
    const state = stateAhead(seen, file, announce, drain);
    if (state === null) continue;
    const words = seen.protocols.get(state === 'drain' ? drain : announce)?.message ?? '';
    const reason = words.slice(ownMessagePrefix.length);
    const text = reason === '' ? `${state} as found` : reason;
    ahead[subjectKey(subject)] = { state, reason: 'as-found', text, byVerdict: !isWordOfPeople(reason) };
  }
  const keys = Object.keys(ahead);
  if (keys.length === 0) return null;
  const wished = Object.fromEntries(Object.entries(memory.wished).filter(([key]) => !keys.includes(key)));
  return { ...memory, standing: { ...memory.standing, ...ahead }, wished };
}

/** Less than the file says, by our own command; null: not so. */
function stateAhead(
  seen: BirdSeen,
  file: ReadonlyMap<string, FileState>,
  announce: string,
  drain: string,
): 'withdraw' | 'drain' | null {
  const [announceFile, drainFile] = [file.get(announce), file.get(drain)];
  if (announceFile === undefined || drainFile === undefined) return null;
  const announceSeen = seen.protocols.get(announce);
  const drainSeen = seen.protocols.get(drain);
  const byUs = (message: string | null | undefined): boolean =>
    message?.startsWith(ownMessagePrefix) === true;
  if (drainSeen?.state === 'up')
    return drainFile.disabled && !announceFile.disabled && byUs(drainSeen.message) ? 'drain' : null;
  const isDown = announceSeen?.state === 'down' && drainSeen?.state === 'down';
  const wasOut = announceFile.disabled && drainFile.disabled;
  return isDown && !wasOut && byUs(announceSeen.message) ? 'withdraw' : null;
}
