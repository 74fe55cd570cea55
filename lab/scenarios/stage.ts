/** Where a scenario plays: the lab, its timeline, and what was measured on the way. */
import type { CarrierView } from '../carrier/observer.ts';
import type { Fault } from '../faults/fault.ts';
import type { CarrierName } from '../network/names.ts';
import type { NodeOptions } from '../node/config.ts';
import type { Lab } from '../node/lab.ts';
import { startTimeline, type Timeline } from './timeline.ts';

export interface Scenario {
  /** Kebab-case; what is typed after `npm run lab -- scenario`. */
  readonly name: string;
  readonly summary: string;
  readonly node?: NodeOptions;
  /** Throws when it does not go as it should. */
  run(stage: Stage): Promise<void>;
}

export type Views = Readonly<Record<CarrierName, CarrierView>>;

export interface Stage {
  readonly lab: Lab;
  readonly timeline: Timeline;
  /** The carriers when the scenario began. */
  readonly before: Views;
  /** Milliseconds from a change to what a carrier then saw: `black hole behind cmi → cmi withdraw`. */
  readonly measured: Map<string, number>;
  /** The last fault, mending or act of the lab; `at` is wall time in ms. */
  lastChange(): { readonly at: number; readonly text: string };
  hit(fault: Fault): Promise<void>;
  mend(fault: Fault): Promise<void>;
  /** Anything else that the lab does; restarts the clock of what is measured. */
  act(text: string, action: () => Promise<unknown>): Promise<void>;
}

export async function openStage(lab: Lab): Promise<Stage> {
  const before = await lab.observer.views();
  const timeline = startTimeline(lab);
  let last = { at: Date.now(), text: 'the beginning' };
  const change = async (kind: 'fault' | 'mended' | 'step', text: string, action: () => Promise<unknown>) => {
    last = { at: Date.now(), text: kind === 'mended' ? `${text} mended` : text };
    timeline.mark(kind, text);
    await action();
  };
  return {
    lab,
    timeline,
    before,
    measured: new Map(),
    lastChange: () => last,
    hit: (fault) => change('fault', fault.title, () => fault.apply(lab.network)),
    mend: (fault) => change('mended', fault.title, () => fault.mend(lab.network)),
    act: (text, action) => change('step', text, action),
  };
}
