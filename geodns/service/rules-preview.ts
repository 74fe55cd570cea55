/** What other rules and networks would do, without doing it: their problems, or whose answers would change. */
import { families } from '../../src/types/units.ts';
import { type View, viewOf } from '../decision/availability.ts';
import { type Moved, MovedCount } from '../decision/moved.ts';
import { loadNetworks, type Networks } from '../networks/load.ts';
import { RenderError } from '../render/lua-text.ts';
import { renderZone } from '../render/zone.ts';
import { loadRules } from '../rules/load.ts';
import type { Rules } from '../rules/model.ts';
import { type FileProblem, formatProblem } from '../yaml-file.ts';
import type { RulesTexts } from './revisions.ts';
import type { GeoDnsService } from './service.ts';
import { eachUser, type Users } from './users.ts';

/** Texts that can be put in force, or why not. */
export type LoadedTexts =
  | { readonly kind: 'fit'; readonly rules: Rules; readonly networks: Networks }
  | {
      readonly kind: 'refused';
      /** A line each, with file, line and column. */
      readonly problems: readonly string[];
      readonly places: readonly FileProblem[];
    };

export interface MovedAnswer {
  /** By what users were counted. */
  readonly by: 'databases' | 'statistics' | 'nothing';
  /** The largest share of any policy and family, 0 to 1. */
  readonly share: number;
  readonly policies: readonly Moved[];
  readonly names: { readonly added: readonly string[]; readonly removed: readonly string[] };
}

export type Preview =
  | Extract<LoadedTexts, { kind: 'refused' }>
  | {
      readonly kind: 'fit';
      readonly moved: MovedAnswer;
      /** Answers that would be below the level normal as things are. */
      readonly degraded: number;
      readonly rrsets: number;
    };

/** In the present state of the targets. */
export function loadTexts(service: GeoDnsService, texts: RulesTexts): LoadedTexts {
  const networks = loadNetworks('networks.yaml', texts.networks);
  if (networks.kind === 'refused') return refusedBy(networks.problems);
  const rules = loadRules('rules.yaml', texts.rules, networks.value);
  if (rules.kind === 'refused') return refusedBy(rules.problems);
  try {
    renderZone(viewWith(service, rules.value), networks.value, 1);
  } catch (error) {
    if (error instanceof RenderError)
      return { kind: 'refused', problems: [`rules.yaml: ${error.message}`], places: [] };
    throw error;
  }
  return { kind: 'fit', rules: rules.value, networks: networks.value };
}

export async function previewTexts(
  service: GeoDnsService,
  users: Users,
  texts: RulesTexts,
): Promise<Preview> {
  const loaded = loadTexts(service, texts);
  if (loaded.kind === 'refused') return loaded;
  const { rrsets, degraded } = renderZone(viewWith(service, loaded.rules), loaded.networks, 1);
  return {
    kind: 'fit',
    moved: await movedBy(service, users, loaded),
    degraded: degraded.length,
    rrsets: rrsets.length,
  };
}

async function movedBy(
  service: GeoDnsService,
  users: Users,
  { rules, networks }: Extract<LoadedTexts, { kind: 'fit' }>,
): Promise<MovedAnswer> {
  const before = { view: service.view(), networks: service.parts.networks };
  const after = { view: viewWith(service, rules), networks };
  const present = before.view.rules;
  const found = await users.now();
  const policies: Moved[] = [];
  for (const policy of rules.policies.keys()) {
    if (!present.policies.has(policy)) continue;
    for (const family of families) {
      const count = new MovedCount(before, after, policy, family);
      await eachUser(found.users[family], (user) => count.add(user));
      policies.push(count.result());
    }
  }
  return {
    by: found.by,
    share: Math.max(0, ...policies.map((one) => one.share)),
    policies,
    names: {
      added: [...rules.names.keys()].filter((name) => !present.names.has(name)),
      removed: [...present.names.keys()].filter((name) => !rules.names.has(name)),
    },
  };
}

function viewWith(service: GeoDnsService, rules: Rules): View {
  const { state, nowMillis } = service.view();
  return viewOf(rules, state, nowMillis);
}

function refusedBy(places: readonly FileProblem[]): LoadedTexts {
  return { kind: 'refused', problems: places.map(formatProblem), places };
}
