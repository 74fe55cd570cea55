/** Prefixes: none twice, and none inside another service's, since the two would need one wish. */
import { contains } from '../addresses.ts';
import { formatPath, type Finding } from '../problem.ts';
import type { PrefixView, View } from '../view.ts';

/** Problems between prefixes. */
export function checkPrefixes({ prefixes }: View): readonly Finding[] {
  const sorted = prefixes.toSorted((a, b) => comparePrefixes(a, b));
  const findings: Finding[] = [];
  /** The prefixes that the current one lies inside of, outermost first. */
  const around: PrefixView[] = [];
  for (const view of sorted) {
    while (around.length > 0 && !contains(around.at(-1)?.prefix ?? view.prefix, view.prefix)) around.pop();
    const clash = around.find((one) => one.service !== view.service || one.prefix.text === view.prefix.text);
    if (clash !== undefined)
      findings.push({
        path: view.path,
        where: 'value',
        allowed: `a prefix that is neither given twice nor overlaps another service's: ${formatPath(clash.path)} is ${clash.prefix.text}`,
      });
    around.push(view);
  }
  return findings;
}

/** Wider ones first, so that each is seen after all that it lies inside of; equal ones in the file's order. */
function comparePrefixes(a: PrefixView, b: PrefixView): number {
  if (a.prefix.family !== b.prefix.family) return a.prefix.family - b.prefix.family;
  if (a.prefix.first !== b.prefix.first) return a.prefix.first < b.prefix.first ? -1 : 1;
  if (a.prefix.last !== b.prefix.last) return a.prefix.last > b.prefix.last ? -1 : 1;
  return 0;
}
