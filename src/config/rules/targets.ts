/** Targets: each once, beyond the uplink, and enough of them in a region for a verdict of its own. */
import { families, type PerFamily } from '../../types/units.ts';
import { contains, spanOfAddress } from '../addresses.ts';
import type { PlacedAddress } from '../fields.ts';
import { formatPath, type Finding } from '../problem.ts';
import { rowsOf } from '../schema/targets.ts';
import type { TargetView, UplinkView, View } from '../view.ts';

/** Problems of targets, alone and beside each other. */
export function checkTargets(view: View): readonly Finding[] {
  const near = nearAddresses(view);
  return view.uplinks.flatMap((uplink) => [
    ...uplink.targets.flatMap((target) => checkRows(target)),
    ...checkTwice(uplink),
    ...uplink.targets.flatMap((target) => checkBeyond(target, near)),
  ]);
}

/** Regions with a single target in a family: their verdict stays unknown. */
export function warnOfRegions(view: View): readonly Finding[] {
  return view.uplinks.flatMap((uplink) => {
    const regions = new Set(uplink.targets.map((target) => target.entry.region));
    return [...regions].flatMap((region) =>
      families.flatMap((family): readonly Finding[] => {
        const inside = uplink.targets.filter(
          ({ entry, rows }) => entry.region === region && rows.some((row) => row.family === family),
        );
        const [only] = inside;
        if (only === undefined || inside.length > 1) return [];
        const said = `region ${region} has one IPv${family} target: its verdict stays unknown, two or more decide`;
        return [
          {
            path: [...only.path, 'region'],
            where: 'value',
            allowed: 'two or more targets in a region',
            said,
          },
        ];
      }),
    );
  });
}

function checkRows(target: TargetView): readonly Finding[] {
  const rows = rowsOf(target.entry);
  if (rows.kind === 'ok') return [];
  return rows.flaws.map(({ path, allowed }) => ({
    path: [...target.path, ...path],
    where: 'value',
    allowed,
  }));
}

function checkTwice({ targets }: UplinkView): readonly Finding[] {
  const names = new Map<string, TargetView>();
  const addresses = new Map<string, TargetView>();
  const findings: Finding[] = [];
  for (const target of targets) {
    const first = names.get(target.entry.name);
    const path = [...target.path, 'name'];
    if (first !== undefined)
      findings.push({
        path,
        where: 'value',
        allowed: `a name of its own: ${formatPath(first.path.slice(-2))} has this one`,
      });
    names.set(target.entry.name, first ?? target);
    for (const { address } of target.rows) {
      const owner = addresses.get(address);
      if (owner !== undefined)
        findings.push({
          path: target.path,
          where: 'value',
          found: address,
          allowed: `each address once in an uplink: ${owner.entry.name} has it already`,
        });
      addresses.set(address, owner ?? target);
    }
  }
  return findings;
}

function checkBeyond(target: TargetView, near: ReadonlyMap<string, string>): readonly Finding[] {
  return target.rows.flatMap(({ address }): readonly Finding[] => {
    const why = near.get(address);
    if (why === undefined) return [];
    return [
      { path: target.path, where: 'value', found: address, allowed: `an address beyond the uplink: ${why}` },
    ];
  });
}

/** Addresses that are no target, with the reason: they lie at the uplinks or in what this node announces. */
function nearAddresses(view: View): ReadonlyMap<string, string> {
  const near = new Map<string, string>();
  const add = (addresses: PerFamily<PlacedAddress> | undefined, what: string) => {
    for (const family of families) {
      const text = addresses?.[family]?.text;
      if (text !== undefined) near.set(text, `it is ${what}, which says nothing of the path beyond`);
    }
  };
  for (const { name, self, peer } of view.uplinks) {
    add(self.source, `the source of ${name}`);
    add(self.gateway, `the gateway of ${name}`);
    add(peer.address, `the peer of ${name}`);
  }
  // Uplinks mostly share their targets, so each address is looked up once.
  const targets = new Set(
    view.uplinks.flatMap(({ targets: all }) => all.flatMap(({ rows }) => rows.map((row) => row.address))),
  );
  for (const address of targets) {
    const span = spanOfAddress(address);
    const own = view.prefixes.find(({ prefix }) => span !== null && contains(prefix, span));
    if (own !== undefined)
      near.set(address, `it lies in ${own.prefix.text}, which this node announces itself`);
  }
  return near;
}
