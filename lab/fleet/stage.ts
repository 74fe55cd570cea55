/** Where a scenario of the fleet plays: all nodes, one clock, and a stage for each node with its own timeline. */
import type { Fault } from '../faults/fault.ts';
import { fleetNodeNames, type FleetNodeName } from '../network/names.ts';
import type { Stage } from '../scenarios/stage.ts';
import { startTimeline, type TimelineEntry } from '../scenarios/timeline.ts';
import type { Fleet, FleetNode } from './fleet.ts';

export interface FleetScenario {
  /** Kebab-case; what is typed after `npm run lab -- fleet scenario`. */
  readonly name: string;
  readonly summary: string;
  /** Leaves Redis in a state that the next scenario cannot begin with. */
  readonly spoilsRedis?: true;
  /** Throws when it does not go as it should. */
  run(stage: FleetStage): Promise<void>;
}

export interface FleetStage {
  readonly fleet: Fleet;
  /** Milliseconds, by what was measured. */
  readonly measured: Map<string, number>;
  /** A node's stage, for the expectations of the one-node lab. */
  node(name: FleetNodeName): Stage;
  /** Of all nodes, or of all but these. */
  nodes(...but: readonly FleetNodeName[]): readonly Stage[];
  /** The last fault, mending or act of the lab; `at` is wall time in ms. */
  lastChange(): { readonly at: number; readonly text: string };
  hit(fault: Fault): Promise<void>;
  mend(fault: Fault): Promise<void>;
  /** Anything else that the lab does; restarts the clock of what is measured. */
  act(text: string, action: () => Promise<unknown>): Promise<void>;
  /** What happened on all nodes, in order. */
  entries(): readonly TimelineEntry[];
  stop(): void;
}

export async function openFleetStage(fleet: Fleet): Promise<FleetStage> {
  const marks: TimelineEntry[] = [];
  let last = { at: Date.now(), text: 'the beginning' };
  const change = async (kind: 'fault' | 'mended' | 'step', text: string, action: () => Promise<unknown>) => {
    last = { at: Date.now(), text: kind === 'mended' ? `${text} mended` : text };
    marks.push({ at: last.at, kind, text });
    await action();
  };
  // Packet filters stand in rooms that all nodes share, so any node's network will do.
  const { network } = fleet.node('hk1').lab;
  const acts = {
    lastChange: () => last,
    hit: (fault: Fault) => change('fault', fault.title, () => fault.apply(network)),
    mend: (fault: Fault) => change('mended', fault.title, () => fault.mend(network)),
    act: (text: string, action: () => Promise<unknown>) => change('step', text, action),
  };
  const stages = new Map(
    await Promise.all(
      fleet.nodes.map(async (node) => [node.plan.name, await openNodeStage(fleet, node, acts)] as const),
    ),
  );
  const of = (name: FleetNodeName): Stage => {
    const stage = stages.get(name);
    if (stage === undefined) throw new Error(`no stage for ${name}`);
    return stage;
  };
  return {
    fleet,
    measured: new Map(),
    ...acts,
    node: of,
    nodes: (...but) => fleetNodeNames.filter((name) => !but.includes(name)).map(of),
    entries: () =>
      [...marks, ...[...stages].flatMap(([name, { timeline }]) => named(name, timeline.entries()))].sort(
        (a, b) => a.at - b.at,
      ),
    stop() {
      for (const { timeline } of stages.values()) timeline.stop();
    },
  };
}

/** Its timeline holds what the carriers hear of this node from now on. */
async function openNodeStage(
  fleet: Fleet,
  { plan, lab }: FleetNode,
  acts: Pick<Stage, 'lastChange' | 'hit' | 'mend' | 'act'>,
): Promise<Stage> {
  const before = await lab.observer.views();
  const heardBefore = fleet.wire.events().length;
  const events = () => fleet.wire.events().slice(heardBefore);
  const timeline = startTimeline(lab, {
    events: () => events().filter(({ node }) => node === plan.name),
    stop: () => undefined,
  });
  return { lab, timeline, before, measured: new Map(), ...acts };
}

function named(name: string, entries: readonly TimelineEntry[]): readonly TimelineEntry[] {
  return entries.map((entry) => ({ ...entry, text: `${name}: ${entry.text}` }));
}
