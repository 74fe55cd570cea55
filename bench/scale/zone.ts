/** The zone of GeoDNS for a large fleet: sites of ten nodes, a rule for each site that sends it an AS's users. */
import { stringify } from 'yaml';
import { viewOf } from '../../geodns/decision/availability.ts';
import { emptyState } from '../../geodns/decision/state.ts';
import { noNetworks } from '../../geodns/networks/load.ts';
import { answersIn } from '../../geodns/render/answers.ts';
import { RenderError } from '../../geodns/render/lua-text.ts';
import { assembleZone, compileZone } from '../../geodns/render/zone.ts';
import { loadRules } from '../../geodns/rules/load.ts';
import { formatProblem } from '../../geodns/yaml-file.ts';

/** A text: it cannot be rendered, and why. */
export type ZoneUnits =
  | string
  | { readonly records: number; readonly bytes: number; readonly millis: number };

const nodesOfSite = 10;
const times = 5;

export function measureZone(nodes: number, uplinks: number): ZoneUnits {
  const loaded = loadRules('rules.yaml', rulesText(nodes, uplinks), noNetworks);
  if (loaded.kind === 'refused') throw new Error(loaded.problems.map(formatProblem).join('\n'));
  const view = viewOf(loaded.value, emptyState, 0);
  try {
    // Once for the rules; each change of state is answers and records anew.
    const compiled = compileZone(loaded.value, noNetworks);
    const began = performance.now();
    for (let turn = 1; turn < times; turn += 1) assembleZone(compiled, answersIn(view), turn);
    const { rrsets } = assembleZone(compiled, answersIn(view), times);
    const millis = (performance.now() - began) / times;
    // Those of the answers, which are what a change sends.
    const config = rrsets.filter(({ name }) => /^_g\d*\./.test(name));
    const bytes = config.reduce((sum, { records }) => sum + records.join('').length, 0);
    return { records: config.length, bytes, millis };
  } catch (error) {
    if (error instanceof RenderError) return error.message;
    throw error;
  }
}

function rulesText(nodes: number, uplinks: number): string {
  const sites = Math.ceil(nodes / nodesOfSite);
  const targets = Array.from({ length: nodes }, (_, node) =>
    Array.from({ length: uplinks }, (__, uplink) => [
      `n${node}/u${uplink}`,
      {
        v4: [`10.${node >> 8}.${node & 255}.${uplink + 1}`],
        v6: [`2001:db8:${node.toString(16)}::${uplink + 1}`],
      },
    ]),
  ).flat();
  const pools = Array.from({ length: sites }, (_, site) => [
    `s${site}`,
    {
      targets: Array.from({ length: nodesOfSite }, (__, index) => site * nodesOfSite + index)
        .filter((node) => node < nodes)
        .map((node) => `n${node}/*`),
      pick: 'weighted',
    },
  ]);
  // One AS number stands for the users that a rule sends to its site, the next site behind it.
  const rules = Array.from({ length: sites }, (_, site) => ({
    asns: [64_512 + site],
    use: [`s${site}`, `s${(site + 1) % sites}`],
  }));
  return stringify({
    version: 1,
    zone: 'geo.test',
    nameservers: ['ns1.geo.test'],
    hostmaster: 'hostmaster.geo.test',
    ttl: '30s',
    targets: Object.fromEntries(targets),
    pools: Object.fromEntries(pools),
    policies: { cdn: { service: 'web', default: ['s0'], rules } },
    names: { www: 'cdn' },
  });
}
