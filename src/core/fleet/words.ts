/** What the fleet says of each service and family, as decide takes it. */
import type { FleetWord } from '../../types/fleet-word.ts';
import type { Instant } from '../../types/units.ts';
import type { Presence } from '../../types/wire/node-to-fleet.ts';
import { announces } from './announcers.ts';
import { hasNamesake } from './ask.ts';
import { evidenceOf } from './evidence.ts';
import { type GroupName, keyOfGroup } from './groups.ts';
import { heardPresences } from './hear.ts';
import { linkState, tokenHolds } from './link.ts';
import type { FleetMemory, FleetRules } from './memory.ts';

/** By groupKey. `self`: what this node said of itself last; null: nothing yet. */
export function fleetWords(
  memory: FleetMemory,
  groups: readonly GroupName[],
  self: Presence | null,
  rules: FleetRules,
  now: Instant,
): ReadonlyMap<string, FleetWord> {
  const others = heardPresences(memory.nodes, rules.expireMillis, now);
  return new Map(groups.map((group) => [keyOfGroup(group), wordOf(memory, group, self, others, rules, now)]));
}

function wordOf(
  memory: FleetMemory,
  group: GroupName,
  self: Presence | null,
  others: readonly Presence[],
  rules: FleetRules,
  now: Instant,
): FleetWord {
  const { service, family } = group;
  const link = linkState(memory.link, rules, now);
  const isRead = link.kind === 'reading';
  const announcing = others.filter((one) => announces(one, service, family));
  const nodes = `${announcing.length} other ${announcing.length === 1 ? 'node announces' : 'nodes announce'} it`;
  const evidence = isRead && self !== null ? evidenceOf(self, others, service, family) : 'unclear';
  const known = {
    announcingNodes: isRead ? announcing.length : null,
    ...(evidence === 'own' ? { ownFault: true } : {}),
  };
  if (tokenHolds(memory, keyOfGroup(group), rules, now))
    return { ...known, consent: 'given', text: `the fleet consents, ${nodes}` };
  switch (link.kind) {
    case 'silent':
      return { ...known, consent: 'silent', text: `the fleet is silent: ${link.why}` };
    case 'settling':
      return { ...known, consent: 'silent', text: 'the fleet is being heard again' };
    case 'reading':
      break;
  }
  if (link.waitMillis > 0) {
    const text = `Redis has had another master since a moment ago: no consent for ${Math.ceil(link.waitMillis / 1000)} s more`;
    return { ...known, consent: 'silent', text };
  }
  if (hasNamesake(memory, rules, now))
    return { ...known, consent: 'refused', text: 'another daemon speaks under the name of this node' };
  if (evidence === 'shared')
    return { ...known, consent: 'refused', text: `the same targets fail on other nodes; ${nodes}` };
  if (memory.tokens.has(keyOfGroup(group)))
    return { ...known, consent: 'refused', text: `this node is out with consent; ${nodes}` };
  const refusal = memory.refusals.get(keyOfGroup(group));
  return { ...known, consent: 'refused', text: refusal?.text ?? nodes };
}
