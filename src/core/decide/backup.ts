/**
 * Backup uplinks (services.*.uplinks.*.state): drained, until no other uplink of the group is announced fully and good.
 * It is no verdict: a backup that is needed is announced at once.
 */
import { lesser } from './attraction.ts';
import { effectiveState } from './layers.ts';
import type { Rung } from './leaving.ts';
import { isFailed } from './member.ts';
import type { Ceiling } from './ceiling.ts';

/** The group with a ceiling on each backup that is not needed. */
export function drainBackups(group: readonly Rung[]): readonly Rung[] {
  if (!group.some(({ member }) => member.isBackup) || isNeeded(group)) return group;
  return group.map((rung) => {
    const { member } = rung;
    if (!member.isBackup || member.override !== null) return rung;
    if (member.ceiling !== null && lesser(member.ceiling.state, 'drain') === member.ceiling.state)
      return rung;
    return { ...rung, member: { ...member, ceiling: spare } };
  });
}

const spare: Ceiling = {
  state: 'drain',
  reason: 'backup',
  text: 'a backup that is not needed',
  author: 'causeway',
  held: null,
};

function isNeeded(group: readonly Rung[]): boolean {
  return !group.some(
    (rung) =>
      !rung.member.isBackup &&
      effectiveState(rung) === 'announce' &&
      rung.member.session !== 'down' &&
      !isFailed(rung.member),
  );
}
