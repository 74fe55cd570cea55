/** Rules, networks and reports for the tests of GeoDNS. */
import { readFileSync } from 'node:fs';
import type { FamilyReport, Report, State } from '../../geodns/decision/state.ts';
import { accept, emptyState, fold } from '../../geodns/decision/state.ts';
import { loadNetworks, type Networks } from '../../geodns/networks/load.ts';
import { loadRules } from '../../geodns/rules/load.ts';
import type { Policy, Rules } from '../../geodns/rules/model.ts';
import { formatProblem, type Loaded } from '../../geodns/yaml-file.ts';
import type { ToldState } from '../../src/types/wire/enums.ts';

export const labRulesText = readFileSync('lab/geodns/rules.yaml', 'utf8');
/** Mobile's users go to HKBN. */
export const cmToHkbnText = labRulesText.replace(
  '{ networks: [cm], use: [hk-cmi, hk-pccw] }',
  '{ networks: [cm], use: [hk-hkbn] }',
);
export const labNetworksText = readFileSync('networks.yaml', 'utf8');
export const labNetworks: Networks = value(loadNetworks('networks.yaml', labNetworksText));
export const labRules: Rules = value(loadRules('rules.yaml', labRulesText, labNetworks));

export function value<T>(loaded: Loaded<T>): T {
  if (loaded.kind === 'refused') throw new Error(loaded.problems.map(formatProblem).join('\n'));
  return loaded.value;
}

export function policyOf(rules: Rules, name: string): Policy {
  const policy = rules.policies.get(name);
  if (policy === undefined) throw new Error(`no policy ${name}`);
  return policy;
}

export function told(
  state: ToldState,
  more: { regions?: Record<string, ToldState>; services?: Record<string, ToldState> } = {},
): FamilyReport {
  return { state, regions: more.regions ?? {}, services: more.services ?? {} };
}

export function report(epoch: number, seq: number, both: FamilyReport): Report {
  return {
    carrier: 'cmi',
    families: { 4: both, 6: both },
    order: { epoch, seq },
    held: null,
    reason: 'loss 34 %',
    evidence: null,
    expiresAtMillis: null,
  };
}

/** Folds a report in if it is accepted. */
export function hear(state: State, target: string, message: Report, nowMillis: number): State {
  const answer = accept(state, target, message, nowMillis);
  return answer.kind === 'accepted' ? fold(state, answer.event) : state;
}

/** A state in which these targets were told, far enough from each other to be believed one by one. */
export function stateWith(tells: Readonly<Record<string, FamilyReport>>, spacingMillis = 3_600_000): State {
  return Object.entries(tells).reduce(
    (state, [target, both], index) => hear(state, target, report(1, index, both), index * spacingMillis),
    emptyState,
  );
}
