/**
 * policy.tie_families: both families of an uplink are judged by the worse of their verdicts, so that they move
 * together; a family with too few targets for a verdict of its own borrows the other one's. The guards still look at
 * each family, since each has a last announcement of its own.
 */
import type { Uplink } from '../../types/config.ts';
import type { UplinkHealth, Verdict } from '../../types/health.ts';
import { families, type Family } from '../../types/units.ts';
import type { HealthState } from '../../types/wire/enums.ts';

/** In the order of the uplinks, IPv4 first. */
export function tieFamilies(
  uplinks: readonly Uplink[],
  health: readonly UplinkHealth[],
): readonly UplinkHealth[] {
  return uplinks.flatMap((uplink) => {
    const own = health
      .filter((one) => one.uplink === uplink.name)
      .toSorted((one, other) => one.family - other.family);
    const [first] = own;
    if (first === undefined) return [];
    const worst = own.reduce((found, one) => (isWorse(one, found) ? one : found), first);
    return families
      .filter((family) => uplink.source[family] !== undefined || own.some((one) => one.family === family))
      .map((family) => tied(own, worst, family));
  });
}

function tied(own: readonly UplinkHealth[], worst: UplinkHealth, family: Family): UplinkHealth {
  const mine = own.find((one) => one.family === family);
  if (mine !== undefined && !isWorse(worst, mine)) return mine;
  const borrowed = { ...worst.uplinkVerdict, text: `${worst.uplinkVerdict.text} (IPv${worst.family})` };
  return {
    ...(mine ?? { ...worst, regions: new Map(), targets: new Map() }),
    family,
    uplinkVerdict: borrowed,
  };
}

function isWorse(one: UplinkHealth, than: UplinkHealth): boolean {
  return badness(one.uplinkVerdict) > badness(than.uplinkVerdict);
}

const order: Readonly<Record<HealthState, number>> = { healthy: 1, unknown: 2, degraded: 3, failed: 4 };

/** Too few targets say nothing at all; what is merely unknown for now is not better than healthy. */
function badness({ health, reason }: Verdict): number {
  return reason === 'too-few-samples' ? 0 : order[health];
}
