/**
 * One tick, the way of the data (DESIGN §3): outcomes → health → hands → wish → file and commands → what BIRD shows.
 * Level-triggered: nothing is remembered as done; a step that failed is simply in the next plan.
 */
import type { BirdClient } from '../../bird/client.ts';
import { readBird } from '../../bird/read.ts';
import { decide } from '../core/decide/decide.ts';
import type { DecideMemory } from '../core/decide/memory.ts';
import { type LastLook, lookOf, readHands } from '../core/hands/hands.ts';
import { subjectKey, subjectsOf } from '../core/hands/subject.ts';
import type { HealthMemory } from '../core/health/memory.ts';
import { judge } from '../core/health/judge.ts';
import { observe } from '../core/health/observe.ts';
import { plan, type Plan } from '../core/plan/plan.ts';
import { type ProtocolWish, protocolWishes } from '../core/plan/protocols.ts';
import type { BirdView } from '../types/bird-view.ts';
import type { NodeConfig } from '../types/config.ts';
import type { LinkFact, Transition, UplinkHealth, Verdict, VerdictSubject } from '../types/health.ts';
import type { Sample } from '../types/outcome.ts';
import type { Override } from '../types/override.ts';
import { elapsed, type Instant, type Millis } from '../types/units.ts';
import type { Wish } from '../types/wish.ts';
import { actuate, type StepResult } from './actuate.ts';
import type { FileKeeper, FileOutcome } from './file-keeper.ts';
import { type Alarm, type Alarms } from './alarms.ts';
import type { Narrator, VerdictChange } from './narrator.ts';
import { type SessionMemory, sessionFacts } from './session-facts.ts';

/** All that lives from tick to tick. */
export interface World {
  health: HealthMemory;
  decide: DecideMemory;
  overrides: readonly Override[];
  look: LastLook | null;
  switched: ReadonlySet<string>;
  /** Subjects whose override ended, and when. */
  ended: ReadonlyMap<string, Instant>;
  sessions: SessionMemory;
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
  readonly waitMillis: Millis;
  readonly client: BirdClient;
  readonly file: FileKeeper;
  readonly narrator: Narrator;
  readonly alarms: Alarms;
  readonly now: () => Instant;
  readonly wallTime: () => string;
  readonly saveOverrides: (overrides: readonly Override[]) => Promise<void>;
}

/** How long after an override's end the other protocol of its pair may still come up by the same hand. */
const settleMillis = 2000;
/** A file that is written a moment later is no trouble; one that is not for this long is. */
const slowDiskMillis = 1000;

export async function tick(tools: TickTools, world: World, input: TickInput): Promise<TickReport> {
  const { config, now } = tools;
  const view = await readBird(tools.client, config.bird.socket, now);
  const fileIsOurs = await tools.file.look();
  const judged = judge(
    observe(world.health, input.samples),
    config.policy,
    input.links,
    now(),
    input.reportedAt ?? undefined,
  );
  world.health = judged.memory;
  for (const change of judged.transitions) {
    const verdict = verdictOf(judged.health, change);
    tools.narrator.verdict(spokenChange(change), verdict?.evidence ?? null, tools.wallTime());
  }
  await takeHands(tools, world, view, fileIsOurs);

  const wish = wishNow(tools, world, view, judged.health);
  tools.narrator.wish(wish, tools.wallTime());
  const protocols = protocolWishes(config, wish, world.overrides);
  const planned = view.kind === 'seen' ? plan(wish, protocols, view) : { steps: [], missing: [] };
  const { file, results } = await act(tools, planned, protocols);
  world.switched = new Set(
    results.filter(({ effect }) => effect === 'done').map(({ step }) => step.protocol),
  );
  world.behindSince = file.kind === 'behind' ? (world.behindSince ?? now()) : null;
  const report = { at: now(), view, health: judged.health, wish, protocols, file, plan: planned, results };
  tools.alarms.set(
    [...input.alarms, ...alarmsOf(report, world, fileIsOurs || config.mode === 'observe')],
    tools.wallTime(),
  );
  return report;
}

/** Overrides of hands are kept before anything follows from them. */
async function takeHands(tools: TickTools, world: World, view: BirdView, fileIsOurs: boolean): Promise<void> {
  if (view.kind !== 'seen') return;
  const subjects = subjectsOf(tools.config);
  const at = tools.wallTime();
  const recent = [...world.ended].filter(([, since]) => elapsed(since, tools.now()) < settleMillis);
  const settling = new Set(recent.map(([subject]) => subject));
  const { look: last, switched, overrides } = world;
  const hands = readHands({ subjects, seen: view, last, switched, fileIsOurs, overrides, settling, at });
  for (const event of hands.events) tools.narrator.hand(event, at);
  const endedNow = hands.events
    .filter(({ kind }) => kind === 'ended')
    .map(({ override }) => subjectKey(override.subject));
  world.ended = new Map([...recent, ...endedNow.map((subject) => [subject, tools.now()] as const)]);
  world.look = lookOf(view, subjects);
  if (hands.events.length === 0) return;
  world.overrides = hands.overrides;
  await tools.saveOverrides(hands.overrides);
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
  const decision = decide(
    {
      services: config.services,
      uplinks: config.uplinks,
      policy: config.policy,
      guards: config.guards,
      waitMillis: tools.waitMillis,
      health,
      sessions: facts,
      usableDefaults,
      overrides: world.overrides,
      now: tools.now(),
    },
    world.decide,
  );
  world.decide = decision.memory;
  return decision.wish;
}

/** In observe mode nothing is written and nothing is sent. */
async function act(
  tools: TickTools,
  planned: Plan,
  protocols: ReadonlyMap<string, ProtocolWish>,
): Promise<{ readonly file: FileOutcome; readonly results: readonly StepResult[] }> {
  if (tools.config.mode === 'observe') return { file: { kind: 'as-wished' }, results: [] };
  const file = await tools.file.hold(protocols);
  const results = await actuate(tools.client, planned.steps, file.kind === 'as-wished');
  tools.narrator.steps(results, tools.wallTime());
  return { file, results };
}

function alarmsOf(
  { at, view, file, plan: planned, wish, results }: TickReport,
  { behindSince }: World,
  fileIsOurs: boolean,
): readonly Alarm[] {
  const alarms: Alarm[] = [];
  if (view.kind === 'unreachable')
    alarms.push({ code: 'bird-unreachable', text: `${view.path}: ${view.code}: ${view.text}` });
  const isBehind = behindSince !== null && elapsed(behindSince, at) > slowDiskMillis;
  if (file.kind === 'behind' && isBehind) alarms.push({ code: 'file-behind', text: file.text });
  if (!fileIsOurs)
    alarms.push({
      code: 'foreign-file',
      text: 'somebody else changed the owned file; the wish is put back into it',
    });
  if (planned.missing.length > 0) {
    const names = planned.missing.slice(0, 4).join(', ');
    const text = `BIRD lacks ${planned.missing.length} protocols of this config (${names}…): \`causeway render --write\`, then \`birdc configure\``;
    alarms.push({ code: 'protocol-missing', text });
  }
  for (const { effect, step, text } of results) {
    if (effect === 'failed')
      alarms.push({ code: 'step-failed', text: `${step.command} ${step.protocol}: ${text}` });
  }
  for (const { held, uplink, service, family, text } of wish.announcements) {
    if (held?.guard !== 'all-bad' && held?.guard !== 'last-resort') continue;
    alarms.push({ code: held.guard, text: `${service} on ${uplink} IPv${family}: ${text}` });
  }
  return alarms;
}

function spokenChange({ subject, ...change }: Transition): VerdictChange {
  return { ...change, subject: spokenSubject(subject) };
}

function verdictOf(health: readonly UplinkHealth[], { uplink, family, subject }: Transition): Verdict | null {
  const found = health.find((one) => one.uplink === uplink && one.family === family);
  switch (subject.kind) {
    case 'uplink':
      return found?.uplinkVerdict ?? null;
    case 'gateway':
      return found?.gateway ?? null;
    case 'region':
      return found?.regions.get(subject.region) ?? null;
    case 'target':
      return found?.targets.get(subject.target) ?? null;
  }
}

function spokenSubject(subject: VerdictSubject): string {
  switch (subject.kind) {
    case 'uplink':
    case 'gateway':
      return subject.kind;
    case 'region':
      return `region ${subject.region}`;
    case 'target':
      return `target ${subject.target}`;
  }
}
