/** What the figures are held against: the promises of DESIGN 10, and that no peer is better in both columns. */
import type { ArenaFigures } from './figures.ts';
import { causewayName, contestants, impatientName } from './jobs.ts';
import { delayScenarios, quietScenarios } from './scenarios.ts';

export interface Check {
  readonly what: string;
  readonly reach: string;
  readonly got: string;
  readonly kept: boolean;
}

const impatientReachSeconds = 1;
const promisedDays = 1000;

/** Every promise with what was measured. */
export function checksOf(figures: ArenaFigures): readonly Check[] {
  return [...delayChecks(figures), ...quietChecks(figures), ...peerChecks(figures)];
}

function delayChecks({ delay }: ArenaFigures): readonly Check[] {
  const promised = delayScenarios.flatMap(({ name, reachMillis }) =>
    reachMillis === null ? [] : [{ rule: causewayName, name, reach: reachMillis / 1000 }],
  );
  return [
    ...promised,
    { rule: impatientName, name: delayScenarios[0]?.name ?? '', reach: impatientReachSeconds },
  ].map(({ rule, name, reach }) => {
    const median = delay.get(name)?.get(rule)?.medianSeconds ?? null;
    return {
      what: `${name}, ${rule}: median delay`,
      reach: `≤ ${reach} s`,
      got: median === null ? 'never' : `${median.toFixed(2)} s`,
      kept: median !== null && median <= reach,
    };
  });
}

function quietChecks({ quiet }: ArenaFigures): readonly Check[] {
  return quietScenarios
    .filter(({ promised }) => promised)
    .map(({ name }) => {
      const figure = quiet.get(name)?.get(causewayName);
      const { alarms, days } = figure ?? { alarms: Infinity, days: 0 };
      return {
        what: `${name}: false alarms`,
        reach: `0 in ${promisedDays} days`,
        got: `${alarms} in ${days} days`,
        kept: alarms === 0 && days >= promisedDays,
      };
    });
}

/** A peer is better in both columns where it finds a fault sooner and is wrong less often. */
function peerChecks({ delay, quiet }: ArenaFigures): readonly Check[] {
  const peers = contestants.filter((name) => name !== causewayName && name !== impatientName);
  const better = peers.flatMap((peer) =>
    [...delay].flatMap(([fault, byRule]) => {
      const own = byRule.get(causewayName)?.medianSeconds ?? Infinity;
      const theirs = byRule.get(peer)?.medianSeconds ?? Infinity;
      if (theirs >= own) return [];
      const rarer = [...quiet].filter(
        ([, rates]) => (rates.get(peer)?.perYear ?? Infinity) < (rates.get(causewayName)?.perYear ?? 0),
      );
      return rarer.map(([trace]) => `${peer} (${fault}; ${trace})`);
    }),
  );
  return [
    {
      what: 'peers that are better than the defaults in both columns',
      reach: 'none',
      got: better.length === 0 ? 'none' : better.join(', '),
      kept: better.length === 0,
    },
  ];
}
