/**
 * The same target through several uplinks: where it is bad on every one that measures it, while others are well, it is
 * the target's fault (or its network's), and no uplink's. Where every target is bad everywhere it is ours, and the
 * guards' matter: then nobody is blamed.
 */
import type { Instant } from '../../types/units.ts';
import type { Group, Subject } from './memory.ts';
import { type PoolTest, type TestKind, testCleanSince, testLooksBad } from './pool-test.ts';

/** One target's address as several groups of one family know it. */
export type Shared = readonly { readonly group: Group; readonly stream: number }[];

/** Targets that an uplink keeps at least when others are blamed: fewer tell nothing of it. */
const fewestLeft = 2;
/** Clean cells after which it is well again. */
const cleanCells = 5;
const kinds: readonly TestKind[] = ['loss', 'slow'];

/** All targets that more than one uplink is measured by. */
export function sharedTargets(groups: readonly Group[]): readonly Shared[] {
  const byAddress = new Map<string, { readonly group: Group; readonly stream: number }[]>();
  for (const group of groups) {
    group.streams.forEach((stream, index) => {
      if (stream.class !== 'target') return;
      const key = `${group.family} ${stream.address}`;
      byAddress.set(key, [...(byAddress.get(key) ?? []), { group, stream: index }]);
    });
  }
  return [...byAddress.values()].filter((all) => new Set(all.map(({ group }) => group)).size > 1);
}

/** Notes in each group which of its targets are bad everywhere. */
export function blame(groups: readonly Group[], shared: readonly Shared[], now: Instant): void {
  for (const kind of kinds) {
    const blamed = new Map<Group, number[]>();
    for (const all of shared) {
      const measuring = all.filter(({ group, stream }) => isMeasured(group, stream, now));
      if (measuring.length < 2 || !measuring.every(({ group, stream }) => looksBad(group, stream, kind)))
        continue;
      for (const { group, stream } of measuring) blamed.set(group, [...(blamed.get(group) ?? []), stream]);
    }
    for (const group of groups) {
      const own = blamed.get(group) ?? [];
      const targets = group.uplinkSubject.streams.length;
      group.blamed[kind] = targets - own.length >= fewestLeft ? own.toSorted((a, b) => a - b) : [];
    }
  }
}

/** Whether that subject is a target that is blamed itself. */
export function isBlamed(group: Group, subject: Subject, kind: TestKind): boolean {
  return subject.who.kind === 'target' && subject.streams.every((one) => group.blamed[kind].includes(one));
}

function isMeasured(group: Group, stream: number, now: Instant): boolean {
  const at = group.streams[stream]?.lastCountedAt ?? null;
  return at !== null && now - at < group.silentMillis;
}

function looksBad(group: Group, stream: number, kind: TestKind): boolean {
  const target = group.targetOf[stream];
  if (target === undefined || target === null) return false;
  const test = target[kind];
  return (test.bad || testLooksBad(test)) && !isCleanAgain(group, test);
}

/** A decided one is over for this purpose as soon as it measures clean: what it was does not excuse it elsewhere. */
function isCleanAgain({ ring }: Group, test: PoolTest): boolean {
  const since = testCleanSince(test, ring.nextClose - 1);
  return since !== null && ring.nextClose - since >= cleanCells;
}
