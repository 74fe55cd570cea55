/**
 * A node of a fleet without probes and BIRD: real decisions, the real fleet part on a real Redis, and a BIRD that obeys
 * at once. What it measures is put in by the test.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { decide } from '../../src/core/decide/decide.ts';
import { emptyDecideMemory } from '../../src/core/decide/memory.ts';
import { monotonicNow } from '../../src/daemon/clock.ts';
import type { Fleet } from '../../src/daemon/fleet-alone.ts';
import { openFleet } from '../../src/daemon/fleet.ts';
import { newOperatorState } from '../../src/daemon/operator-state.ts';
import { holdSettings } from '../../src/daemon/settings.ts';
import type { TickReport } from '../../src/daemon/tick.ts';
import type { BirdSeen, ProtocolSeen } from '../../src/types/bird-view.ts';
import type { FleetConfig } from '../../src/types/fleet-config.ts';
import { announceName, drainName, sessionName } from '../../src/types/protocol-names.ts';
import type { ReadinessFact } from '../../src/types/readiness.ts';
import type { Wish } from '../../src/types/wish.ts';
import { nodeWith } from './node-config.ts';
import { type Fact, inputAt } from './world.ts';

export interface FleetMember {
  readonly name: string;
  readonly fleet: Fleet;
  /** By uplink; may be changed. */
  facts: Readonly<Record<string, Fact>>;
  ready: ReadinessFact['state'];
  readonly wish: () => Wish;
  /** States of the announcements, in the config's order. */
  readonly states: () => readonly string[];
  /** How often it began to announce again after it had left all uplinks. */
  readonly returns: () => number;
  /** Whether it ticks; a daemon that hangs does not. */
  ticking: boolean;
  readonly close: () => Promise<void>;
}

const tickMillis = 50;

export async function openMember(
  name: string,
  fleetConfig: FleetConfig,
  more: { readonly keepNodes?: number; readonly mode?: 'observe' | 'live'; readonly folder?: string } = {},
): Promise<FleetMember> {
  const folder = more.folder ?? mkdtempSync(join(tmpdir(), 'causeway-fleet-'));
  const base = nodeWith(['cmi', 'pccw']);
  const settings = holdSettings({
    ...base,
    mode: more.mode ?? 'live',
    node: { ...base.node, name },
    guards: { ...base.guards, keepNodes: more.keepNodes ?? 1 },
    fleet: fleetConfig,
    paths: { ...base.paths, state: folder },
  });
  const operator = newOperatorState();
  const world = { decide: emptyDecideMemory, operator };
  const readiness = (): ReadonlyMap<string, ReadinessFact> =>
    new Map([['web', { state: member.ready, since: monotonicNow(), text: `check says ${member.ready}` }]]);
  const fleet = await openFleet({ settings, world, readiness, log: pino({ level: 'silent' }) });
  let wish: Wish = { announcements: [], egress: [] };
  let returns = 0;
  const tick = (): void => {
    if (!member.ticking) return;
    const { config } = settings.now();
    const now = monotonicNow();
    const asked = inputAt(now / 1000, member.facts, {
      guards: config.guards,
      readiness: readiness(),
      fleet: fleet.words(),
      freeze: operator.freeze,
    });
    operator.decided = asked;
    const decision = decide(asked, world.decide);
    world.decide = decision.memory;
    const wasOut = wish.announcements.length > 0 && isOut(wish);
    wish = decision.wish;
    if (wasOut && !isOut(wish)) returns += 1;
    const report: TickReport = {
      at: monotonicNow(),
      view: obeyed(wish),
      health: asked.health,
      wish,
      protocols: new Map(),
      file: { kind: 'as-wished' },
      plan: { steps: [], missing: [] },
      results: [],
    };
    fleet.after(report);
  };
  const member: FleetMember = {
    name,
    fleet,
    facts: { cmi: { health: 'healthy' }, pccw: { health: 'healthy' } },
    ready: 'ready',
    wish: () => wish,
    states: () => wish.announcements.map(({ state }) => state),
    returns: () => returns,
    ticking: true,
    async close() {
      clearInterval(timer);
      await fleet.close();
      if (more.folder === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
  const timer = setInterval(tick, tickMillis);
  tick();
  return member;
}

function isOut({ announcements }: Wish): boolean {
  return announcements.every(({ state }) => state === 'withdraw');
}

/** BIRD as it is once it has done what is wished. */
function obeyed({ announcements }: Wish): BirdSeen {
  const protocols = announcements.flatMap(({ uplink, service, family, state }) => [
    protocol(sessionName(uplink, family), true, 'Established'),
    protocol(announceName(uplink, service, family), state !== 'withdraw', ''),
    protocol(drainName(uplink, service, family), state === 'drain', ''),
  ]);
  return {
    kind: 'seen',
    readAt: monotonicNow(),
    version: '2.17.6',
    serverMillis: null,
    bootMillis: null,
    configuredMillis: null,
    running: true,
    protocols: new Map(protocols.map((one) => [one.name, one])),
  };
}

function protocol(name: string, up: boolean, info: string): ProtocolSeen {
  const state = up ? 'up' : 'down';
  const rest = { sinceMillis: null, description: null, message: null, channels: [] };
  return { name, proto: 'BGP', state, info, ...rest };
}
