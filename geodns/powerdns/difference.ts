/** What must be sent so that a zone holds exactly these records. Pure. */
import type { Rrset } from '../render/zone.ts';

/** Rrsets to replace, and with no records those to delete. Order within an rrset does not count. */
export function differenceOf(present: readonly Rrset[], wanted: readonly Rrset[]): readonly Rrset[] {
  const before = new Map(present.map((rrset) => [keyOf(rrset), rrset]));
  const after = new Set(wanted.map(keyOf));
  const changed = wanted.filter((rrset) => {
    const old = before.get(keyOf(rrset));
    return old === undefined || !sameRecords(old, rrset);
  });
  const gone = present
    .filter((rrset) => !after.has(keyOf(rrset)))
    .map(({ name, type, ttlSeconds }) => ({ name, type, ttlSeconds, records: [] }));
  return [...changed, ...gone];
}

function keyOf({ name, type }: Rrset): string {
  return `${name.toLowerCase()} ${type}`;
}

function sameRecords(a: Rrset, b: Rrset): boolean {
  return (
    a.ttlSeconds === b.ttlSeconds && [...a.records].sort().join('\n') === [...b.records].sort().join('\n')
  );
}
