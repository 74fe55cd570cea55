/** Runs the controller once a minute over the service's state, and makes true what may happen. */
import type { StateEvent } from '../decision/state.ts';
import type { View } from '../decision/availability.ts';
import type { GeoDnsService } from '../service/service.ts';
import type { Collector } from './collector.ts';
import {
  entryFor,
  type Proposal,
  propose,
  renewals,
  type SteeringLimits,
  type SteeringView,
} from './controller.ts';
import { type SteeredRule, steeringKey } from './entry.ts';

export interface SteererLog {
  readonly error: (data: Readonly<Record<string, unknown>>, message: string) => void;
}

type Service = Pick<GeoDnsService, 'view' | 'enact' | 'isFrozen'>;

const everyMillis = 60_000;

export class Steerer {
  readonly limits: SteeringLimits;
  private readonly service: Service;
  private readonly collector: Collector;
  private readonly log: SteererLog;
  private last: readonly Proposal[] = [];
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> = Promise.resolve();

  constructor(service: Service, collector: Collector, limits: SteeringLimits, log: SteererLog) {
    this.service = service;
    this.collector = collector;
    this.limits = limits;
    this.log = log;
  }

  start(): void {
    this.timer = setInterval(() => {
      this.running = this.running.then(() =>
        this.round().catch((error: unknown) =>
          this.log.error({ error: String(error) }, 'measured steering could not be written down'),
        ),
      );
    }, everyMillis);
    this.timer.unref();
  }

  async stop(): Promise<void> {
    if (this.timer !== null) clearInterval(this.timer);
    await this.running;
  }

  /** What the last round would do, or did (`held` null). */
  proposals(): readonly Proposal[] {
    return this.last;
  }

  /** One round. Rejects when the journal cannot be written; then nothing was changed. */
  async round(): Promise<void> {
    this.last = propose(this.viewOf(this.service.view()), this.evidence(), this.limits);
    const wished = this.events(this.service.view());
    if (wished.length > 0) await this.service.enact((view) => this.events(view), 'measured steering');
  }

  /** Makes a proposal true on an operator's word, whatever holds it. null: there is none for this rule. */
  async accept(policy: string, rule: number, author: string): Promise<SteeredRule | null> {
    const made = await this.service.enact((view) => {
      const steering = this.viewOf(view);
      const proposal = propose(steering, this.evidence(), this.limits).find(
        (one) => one.policy === policy && one.rule === rule,
      );
      const entry = proposal === undefined ? null : entryFor(steering, proposal, author, this.limits);
      return entry === null ? [] : [{ kind: 'steer', entry, atMillis: view.nowMillis }];
    }, 'measured steering, accepted');
    const [event] = made;
    await this.round();
    return event?.kind === 'steer' ? event.entry : null;
  }

  /** The written order acts again, and the controller leaves the rule alone until then. null: nothing to take back. */
  async revert(
    policy: string,
    rule: number,
    author: string,
    blockedUntilMillis: number,
    reason: string,
  ): Promise<SteeredRule | null> {
    const made = await this.service.enact((view) => {
      const before = view.state.steering.get(steeringKey({ policy, rule }));
      if (before === undefined) return [];
      const entry: SteeredRule = {
        ...before,
        order: before.base,
        atMillis: view.nowMillis,
        untilMillis: Math.max(view.nowMillis, blockedUntilMillis),
        author,
        reason,
        blockedUntilMillis,
      };
      return [{ kind: 'steer', entry, atMillis: view.nowMillis }];
    }, 'measured steering, taken back');
    const [event] = made;
    await this.round();
    return event?.kind === 'steer' ? event.entry : null;
  }

  private events(view: View): readonly StateEvent[] {
    const steering = this.viewOf(view);
    const evidence = this.evidence();
    const changed = propose(steering, evidence, this.limits)
      .filter(({ held }) => held === null)
      .map((proposal) => entryFor(steering, proposal, 'controller', this.limits))
      .filter((entry): entry is SteeredRule => entry !== null);
    const keys = new Set(changed.map(steeringKey));
    const renewed = renewals(steering, evidence, this.limits).filter(
      (entry) => !keys.has(steeringKey(entry)),
    );
    return [...changed, ...renewed].map((entry) => ({ kind: 'steer', entry, atMillis: view.nowMillis }));
  }

  private viewOf({ rules, state, nowMillis }: View): SteeringView {
    return { rules, steering: state.steering, frozen: this.service.isFrozen(), nowMillis };
  }

  private evidence(): ReturnType<Collector['evidence']> {
    return this.collector.evidence(this.service.view().nowMillis);
  }
}
