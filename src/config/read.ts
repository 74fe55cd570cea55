/** From the text of a config to the config, or to everything that is wrong with it. Pure; `load` adds the file. */
import type { z } from 'zod';
import type { NodeConfig } from '../types/config.ts';
import { unreachable } from '../types/unreachable.ts';
import type { ConfigPath } from './leaf.ts';
import { notBuiltMark } from './not-built.ts';
import { locate, placeFinding, problemAt, sortProblems, type Finding, type Problem } from './problem.ts';
import { resolveConfig } from './resolve.ts';
import { checkBird } from './rules/bird.ts';
import { checkEdge, checkEdgePaths } from './rules/edge.ts';
import { checkFamilies } from './rules/families.ts';
import { checkFleet, warnOfFleet } from './rules/fleet.ts';
import { checkMaintenance } from './rules/maintenance.ts';
import { checkPolicy, warnOfPolicy } from './rules/policy.ts';
import { checkPrefixes } from './rules/prefixes.ts';
import { checkServices, warnOfServices } from './rules/services.ts';
import { checkSessions, warnOfSessions } from './rules/sessions.ts';
import { warnOfReadiness } from './rules/ready.ts';
import { checkTargets, warnOfRegions } from './rules/targets.ts';
import { checkTell, warnOfTell } from './rules/tell.ts';
import { checkUplinks } from './rules/uplinks.ts';
import { rootSchema } from './schema/root.ts';
import { viewOf, type View } from './view.ts';
import { readTree } from './yaml-text.ts';
import type { Place, Tree, TreeRead } from './yaml-tree.ts';

/** A valid config. */
export interface ConfigRead {
  readonly kind: 'ok';
  readonly config: NodeConfig;
  /** What works, but hardly as it was meant. */
  readonly warnings: readonly Problem[];
  /** Where a path such as `['uplinks', 'cmi', 'interface']` stands; of a default: its nearest parent. */
  readonly locate: (path: ConfigPath) => Place;
}

/** A valid config, or all of its problems in the order of the file. */
export type LoadResult = ConfigRead | { readonly kind: 'bad'; readonly problems: readonly Problem[] };

const checks: readonly ((view: View) => readonly Finding[])[] = [
  checkPrefixes,
  checkFamilies,
  checkTargets,
  checkServices,
  checkSessions,
  checkUplinks,
  checkPolicy,
  checkBird,
  checkMaintenance,
  checkEdge,
  checkEdgePaths,
  checkFleet,
  checkTell,
];

/** Reads the text of a config; `file` names it in problems. All problems come at once, in the order of the file. */
export function readConfig(file: string, text: string): LoadResult {
  const read = readTree(text);
  const flaws = read.flaws.map(({ at, said }) =>
    problemAt(file, read.place(at), { path: '', found: '', allowed: '', said }),
  );
  if (read.tree === null) return { kind: 'bad', problems: sortProblems(flaws) };
  const value = plainValue(read.tree);
  const parsed = rootSchema.safeParse(value);
  const view = viewOf(value);
  const findings = [
    ...(parsed.success ? [] : parsed.error.issues.flatMap((issue) => findingsOf(issue))),
    ...checks.flatMap((check) => check(view)),
  ];
  const problems = [...flaws, ...findings.map((finding) => placeFinding(file, read, finding))];
  if (!parsed.success || problems.length > 0) return { kind: 'bad', problems: sortProblems(problems) };
  return readOk(file, read, resolveConfig(parsed.data), view);
}

function readOk(file: string, read: TreeRead, config: NodeConfig, view: View): ConfigRead {
  const warnings = [
    ...warnOfRegions(view),
    ...warnOfPolicy(view),
    ...warnOfServices(view),
    ...warnOfSessions(view),
    ...warnOfReadiness(view),
    ...warnOfFleet(view),
    ...warnOfTell(view),
  ].map((finding) => placeFinding(file, read, finding));
  return {
    kind: 'ok',
    config,
    warnings: sortProblems(warnings),
    locate: (path) => read.place(locate(read.tree, path, 'value').at),
  };
}

/** The control socket that a text names, even where other parts of it are wrong; null: it cannot be read. */
export function controlSocketIn(text: string): string | null {
  const { tree } = readTree(text);
  return tree === null ? null : (viewOf(plainValue(tree)).root.paths?.control ?? null);
}

/** Issues of the schema library become findings; each message says what is allowed. */
function findingsOf(issue: z.core.$ZodIssue): readonly Finding[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
  switch (issue.code) {
    case 'unrecognized_keys': {
      const lines = issue.message.split('\n');
      return issue.keys.map((key, index) => ({
        path: [...path, key],
        where: 'key',
        found: `the unknown key ${JSON.stringify(key)}`,
        allowed: lines[index] ?? issue.message,
      }));
    }
    case 'invalid_key':
      return [
        { path, where: 'key', found: `the name ${JSON.stringify(path.at(-1))}`, allowed: issue.message },
      ];
    default:
      return [findingOf(path, issue.message)];
  }
}

function findingOf(path: ConfigPath, message: string): Finding {
  const [, advice] = message.split(notBuiltMark);
  if (advice === undefined) return { path, where: 'value', allowed: message };
  // It goes on from the path, without a colon.
  return { path, where: 'key', allowed: advice, said: ` ${message}` };
}

function plainValue(tree: Tree): unknown {
  switch (tree.kind) {
    case 'scalar':
      return tree.value;
    case 'list':
      return tree.items.map((item) => plainValue(item));
    case 'map':
      return Object.fromEntries([...tree.entries].map(([key, { value }]) => [key, plainValue(value)]));
    default:
      return unreachable(tree);
  }
}
