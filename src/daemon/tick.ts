/**
 * One tick, the way of the data (DESIGN §3): outcomes → health → hands → wish → file and commands → what BIRD shows.
 * Level-triggered: nothing is remembered as done; a step that failed is simply in the next plan.
 */
import { adoptedIn, belongsToAdopted } from '../../bird/adopt.ts';
import type { BirdClient } from '../../bird/client.ts';
import { decide, type DecideInput } from '../core/decide/decide.ts';
import type { DecideMemory } from '../core/decide/memory.ts';
import type { LastLook } from '../core/hands/hands.ts';
import { createHealth } from '../core/health/create-health.ts';
import type { HealthMemory } from '../core/health/memory.ts';
import { judge } from '../core/health/judge.ts';
import { observe } from '../core/health/observe.ts';
import { wishOnLeave } from '../core/overrides/leave.ts';
import { plan, type Plan } from '../core/plan/plan.ts';
import { type ProtocolWish, protocolWishes } from '../core/plan/protocols.ts';
import type { BirdSeen, BirdView } from '../types/bird-view.ts';
import type { NodeConfig } from '../types/config.ts';
import type { FleetWord } from '../types/fleet-word.ts';
import type { LinkFact, UplinkHealth } from '../types/health.ts';
import type { ProbeTask, Sample } from '../types/outcome.ts';
import type { Override } from '../types/override.ts';
import type { DnsFirst } from '../types/told.ts';
import type { Instant, Millis } from '../types/units.ts';
import type { Wish } from '../types/wish.ts';
import { act } from './act.ts';
import type { StepResult } from './actuate.ts';
import { adoptSeen } from './adopt-seen.ts';
import type { ApplyGate } from './apply-gate.ts';
import type { FileKeeper, FileOutcome } from './file-keeper.ts';
import { type Alarm, type Alarms } from './alarms.ts';
import type { BirdLook } from './bird-look.ts';
import type { Narrator } from './narrator.ts';
import type { OperatorState } from './operator-state.ts';
import type { KeptOverrides } from './override-store.ts';
import type { Readiness } from './readiness.ts';
import { type SessionMemory, sessionFacts } from './session-facts.ts';
import { speakVerdicts } from './spoken-verdicts.ts';
import { takeHands } from './take-hands.ts';
import { alarmsOf } from './tick-alarms.ts';
import type { TickWitness } from './tick-witness.ts';

/** All that lives from tick to tick. */
export interface World {
  health: HealthMemory;
  decide: DecideMemory;
  overrides: readonly Override[];
  look: LastLook | null;
  switched: ReadonlySet<string>;
  /** Protocols that an operator released from a hand, and that have not been up since. */
  released: ReadonlySet<string>;
  /** Subjects whose override ended, and when. */
  ended: ReadonlyMap<string, Instant>;
  sessions: SessionMemory;
  readonly operator: OperatorState;
  /** Whether the boot left services withdrawn until they are ready. */
  readonly booting: boolean;
  /** Whether BIRD was compared with the file since the start. */
  compared: boolean;
  /** Since when the owned file has not held the wish; null: it does. */
  behindSince: Instant | null;
}

/** What the tick is given each time. */
export interface TickInput {
  readonly samples: readonly Sample[];
  /** When the prober sent the latest of them; null: it is silent, and time passes without it. */
  readonly reportedAt: Instant | null;
  readonly links: ReadonlyMap<string, LinkFact>;
  /** Alarms of other parts: prober, routing. */
  readonly alarms: readonly Alarm[];
}

/** What the tick found and did, for the status and for tests. */
export interface TickReport {
  readonly at: Instant;
  readonly view: BirdView;
  readonly health: readonly UplinkHealth[];
  readonly wish: Wish;
  readonly protocols: ReadonlyMap<string, ProtocolWish>;
  readonly file: FileOutcome;
  readonly plan: Plan;
  readonly results: readonly StepResult[];
}

export interface TickTools {
  readonly config: NodeConfig;
  /** What is probed. */
  readonly tasks: readonly ProbeTask[];
  readonly waitMillis: Millis;
  /** Bits per second of each uplink in its fuller direction; those that are known. */
  readonly traffic: () => ReadonlyMap<string, number>;
  /** What the fleet says of each group, by groupKey; null or absent: none is configured. */
  readonly fleet?: () => ReadonlyMap<string, FleetWord> | null;
  readonly client: BirdClient;
  readonly bird: BirdLook;
  readonly file: FileKeeper;
  /** Asked before anything is sent; absent: everything may be. */
  readonly gate?: ApplyGate;
  /** How planned drains wait for GeoDNS; left out: they do not. */
  readonly dnsFirst?: () => DnsFirst | null;
  readonly narrator: Narrator;
  readonly alarms: Alarms;
  readonly readiness: Readiness;
  /** Are told what each tick was given and what it decided. */
  readonly witnesses: readonly TickWitness[];
  readonly now: () => Instant;
  readonly wallTime: () => string;
  readonly keepOverrides: (kept: KeptOverrides) => Promise<void>;
}

export async function tick(tools: TickTools, world: World, input: TickInput): Promise<TickReport> {
  const { config, now } = tools;
  const view = await tools.bird.look(config);
  const fileIsOurs = await tools.file.look();
  const judgedAt = now();
  if (!world.compared && view.kind === 'seen') compareOnce(tools, world, view, judgedAt);
  for (const witness of tools.witnesses) witness.judging(world, input, judgedAt);
  const judged = judge(
    observe(world.health, input.samples),
    config.policy,
    input.links,
    judgedAt,
    input.reportedAt ?? undefined,
  );
  world.health = judged.memory;
  speakVerdicts(tools.narrator, judged.health, judged.transitions, tools.wallTime());
  await takeHands(tools, world, view, fileIsOurs);
  tools.narrator.readiness(tools.readiness.facts());

  const wish = wishNow(tools, world, view, judged.health);
  tools.narrator.wish(wish, judged.health, tools.wallTime(), now());
  tools.narrator.readBack(wish, view);
  const protocols = protocolWishes(config, wish, world.overrides);
  const planned = planOf(config, wish, protocols, view);
  const { file, results } = await act(tools, planned, protocols);
  world.switched = new Set(
    results.filter(({ effect }) => effect === 'done').map(({ step }) => step.protocol),
  );
  world.behindSince = file.kind === 'behind' ? (world.behindSince ?? now()) : null;
  const report = { at: now(), view, health: judged.health, wish, protocols, file, plan: planned, results };
  tools.alarms.set(
    [
      ...input.alarms,
      ...tools.readiness.alarms(),
      ...tools.bird.alarms(),
      ...alarmsOf(report, world, fileIsOurs || config.mode === 'observe'),
    ],
    tools.wallTime(),
  );
  return report;
}

/** What a forerunner sent and did not live to write stands as BIRD shows it; verdicts from before it begin anew. */
function compareOnce(tools: TickTools, world: World, view: BirdSeen, now: Instant): void {
  world.compared = true;
  const memory = adoptSeen(tools.config, tools.file.states(), view, world.decide);
  if (memory === null) return;
  world.decide = memory;
  world.health = createHealth(tools.tasks, tools.config.policy, now);
}

/** What is still the operator's (`bird.adopt`) is neither switched nor missing. */
function planOf(
  { bird, uplinks }: NodeConfig,
  wish: Wish,
  protocols: ReadonlyMap<string, ProtocolWish>,
  view: BirdView,
): Plan {
  if (view.kind === 'unreachable') return { steps: [], missing: [] };
  const planned = plan(wish, protocols, view);
  if (bird.adopt.size === 0) return planned;
  const theirs = adoptedIn(view, bird.adopt, uplinks);
  const isOurs = (name: string): boolean => !belongsToAdopted(name, theirs);
  return {
    steps: planned.steps.filter(({ protocol }) => isOurs(protocol)),
    missing: planned.missing.filter(isOurs),
  };
}

function wishNow(tools: TickTools, world: World, view: BirdView, health: readonly UplinkHealth[]): Wish {
  const { config } = tools;
  const { facts, usableDefaults, memory } = sessionFacts(
    config,
    view,
    world.overrides,
    world.sessions,
    tools.now(),
  );
  world.sessions = memory;
  const asked: DecideInput = {
    services: config.services,
    uplinks: config.uplinks,
    policy: config.policy,
    guards: config.guards,
    waitMillis: tools.waitMillis,
    health,
    sessions: facts,
    usableDefaults,
    overrides: [...world.overrides, ...world.operator.maintenance],
    readiness: tools.readiness.facts(),
    booting: world.booting,
    freeze: world.operator.freeze,
    traffic: tools.traffic(),
    fleet: tools.fleet?.() ?? null,
    dnsFirst: tools.dnsFirst?.() ?? null,
    now: tools.now(),
  };
  world.operator.decided = asked;
  const decision = decide(asked, world.decide);
  world.decide = decision.memory;
  for (const witness of tools.witnesses) witness.decided(asked, decision.wish);
  return wishOnLeave(decision.wish, world.operator.leaving);
}
