/**
 * A fleet in simulated time: nodes with clocks of their own, and Redis servers that fail over, lose writes, jump in time
 * and are cut off. The nodes run the real core of the fleet; a tick and a cycle of a node run beside each other, each in
 * steps that anything may come between, and a question is answered some time after it was sent.
 */
import {
  type Answer,
  answered,
  type Ask,
  asking,
  asksOf,
  dropUnwanted,
  readMaster,
  spendTokens,
  type Want,
} from '../../src/core/fleet/ask.ts';
import { hearBeats, hearPresence, unread } from '../../src/core/fleet/hear.ts';
import { linkFailed } from '../../src/core/fleet/link.ts';
import {
  type Beat,
  emptyFleetMemory,
  type FleetMemory,
  type FleetRules,
} from '../../src/core/fleet/memory.ts';
import { fleetWords } from '../../src/core/fleet/words.ts';
import { elapsed, type Instant, instant } from '../../src/types/units.ts';
import type { Presence } from '../../src/types/wire/node-to-fleet.ts';
import { type Registry, serveAsk } from './fleet-registry.ts';

const group = { service: 'web', family: 4 } as const;
const timeoutMillis = 1000;

export interface ModelServer {
  registry: Registry;
  presences: ReadonlyMap<string, Presence>;
  clockOffsetMillis: number;
  alive: boolean;
}

/** What a node waits for. */
type Waiting =
  | { readonly kind: 'reading'; readonly sentAt: Instant; readonly read: ReadAt | null }
  | {
      readonly kind: 'answer';
      readonly sentAt: Instant;
      readonly ask: Ask;
      readonly master: string;
      readonly answer: Answer | null;
    };

interface ReadAt {
  readonly master: string;
  readonly beats: readonly Beat[];
  readonly presences: ReadonlyMap<string, Presence>;
  readonly epochBefore: number | null;
}

export interface ModelNode {
  readonly name: string;
  /** Of its monotonic clock against true time. */
  readonly rate: number;
  /** Its link verdict: whether it may go on announcing without a guard. */
  good: boolean;
  /** Whether what fails is a service that is not ready. */
  notReady: boolean;
  /** What BIRD really does. */
  announcing: boolean;
  /** Has left with consent, as decide remembers it. */
  out: boolean;
  wallMillis: number;
  /** The server that it speaks with. */
  server: number;
  /** Servers that it cannot reach. */
  readonly cutOff: Set<number>;
  memory: FleetMemory;
  epoch: number;
  seq: number;
  content: number;
  said: string;
  self: Presence | null;
  noted: { readonly body: string; readonly presence: Presence; readonly at: Instant } | null;
  waiting: Waiting | null;
  asks: readonly Ask[];
}

export interface FleetModel {
  readonly rules: Omit<FleetRules, 'node' | 'site'>;
  readonly nodes: readonly ModelNode[];
  readonly servers: ModelServer[];
  /** The server that Sentinels name. */
  master: number;
  nowMillis: number;
  leaves: number;
}

export function newModel(
  names: readonly string[],
  rules: FleetModel['rules'],
  rates: readonly number[],
): FleetModel {
  const model: FleetModel = {
    rules,
    nodes: [],
    servers: [newServer('m0')],
    master: 0,
    nowMillis: 1e6,
    leaves: 0,
  };
  const nodes = names.map(
    (name, at): ModelNode => ({
      name,
      rate: rates[at] ?? 1,
      good: true,
      notReady: false,
      announcing: true,
      out: false,
      wallMillis: 0,
      server: 0,
      cutOff: new Set(),
      memory: emptyFleetMemory,
      epoch: 1_000_000 + at,
      seq: 0,
      content: 0,
      said: '',
      self: null,
      noted: null,
      waiting: null,
      asks: [],
    }),
  );
  return { ...model, nodes };
}

function newServer(name: string): ModelServer {
  const registry: Registry = { master: name, beats: new Map(), tokens: new Map(), leaves: new Map() };
  return { registry, presences: new Map(), clockOffsetMillis: 0, alive: true };
}

export function clockOf(model: FleetModel, node: ModelNode): Instant {
  return instant(model.nowMillis * node.rate);
}

function rulesOf(model: FleetModel, node: ModelNode): FleetRules {
  return { ...model.rules, node: node.name, site: 'hkg' };
}

/** What decide makes of it, in one step with BIRD: checking a consent and acting on it are not torn apart. */
export function tick(model: FleetModel, node: ModelNode): void {
  const now = clockOf(model, node);
  const word = fleetWords(node.memory, [group], node.self, rulesOf(model, node), now).get('web4');
  const nodes = word?.announcingNodes ?? null;
  if (node.good) {
    node.announcing = true;
    node.out = false;
  } else if (!node.announcing) {
    // The repair of the design: left with consent and too few announce, or nobody knows why it is dark.
    const mustReturn = node.out ? nodes !== null && nodes < model.rules.keepNodes : true;
    if (mustReturn && !node.notReady) {
      node.announcing = true;
      node.out = false;
    }
  } else if (node.out) {
    // Somebody's `configure` revived it: the wish stands, and it goes again.
    node.announcing = false;
  } else if (word?.consent === 'given') {
    node.announcing = false;
    node.out = true;
    model.leaves += 1;
  }
  if (node.out) node.memory = spendTokens(node.memory, ['web4']);
  note(node, now);
}

function note(node: ModelNode, now: Instant): void {
  const presence = presenceOf(node);
  node.noted = { body: JSON.stringify(presence), presence, at: now };
}

function presenceOf({ name, announcing, out, good, notReady }: ModelNode): Presence {
  return {
    schema: 1,
    node: name,
    site: 'hkg',
    epoch: 0,
    seq: 0,
    content: 0,
    ageMillis: 0,
    mode: 'live',
    frozen: false,
    announcements: [
      {
        service: 'web',
        uplink: 'cmi',
        carrier: 'cmi',
        family: 4,
        wish: out || !announcing ? 'withdraw' : 'announce',
        seen: announcing ? 'exported' : 'absent',
        ready: good || !notReady,
        health: good || notReady ? 'healthy' : 'failed',
        held: null,
        reason: 'test',
      },
    ],
    targets: [],
  };
}

function wantsOf({ good, out, announcing, notReady }: ModelNode): readonly Want[] {
  if (out) return [{ kind: 'out', group }];
  return !good && announcing ? [{ kind: 'leave', group, cause: notReady ? 'not-ready' : 'link' }] : [];
}

/** One step of the cycle: sends what is next, or takes what has come. `lost`: the answer never arrives. */
export function cycle(model: FleetModel, node: ModelNode, lost: boolean): void {
  const { waiting } = node;
  if (waiting === null) sendNext(model, node, lost);
  else if (waiting.kind === 'reading') takeReading(model, node, waiting);
  else takeAnswer(model, node, waiting);
}

function sendNext(model: FleetModel, node: ModelNode, lost: boolean): void {
  const sentAt = clockOf(model, node);
  const server = serverOf(model, node);
  const [ask, ...rest] = node.asks;
  if (ask !== undefined && server !== null) {
    node.asks = rest;
    node.memory = asking(node.memory, ask);
    const { leavers, windowMillis } = model.rules;
    const master = node.memory.link.master ?? '';
    const { name, epoch } = node;
    const wall = model.nowMillis + server.clockOffsetMillis;
    const served = serveAsk(server.registry, { ask, node: name, epoch, master, leavers, windowMillis }, wall);
    server.registry = served.registry;
    node.waiting = { kind: 'answer', sentAt, ask, master, answer: lost ? null : served.answer };
    return;
  }
  node.asks = [];
  node.memory = dropUnwanted(node.memory, wantsOf(node));
  const read = server === null ? null : publish(server, node, sentAt);
  node.waiting = { kind: 'reading', sentAt, read: lost ? null : read };
}

function serverOf(model: FleetModel, node: ModelNode): ModelServer | null {
  const server = model.servers[node.server];
  return server === undefined || !server.alive || node.cutOff.has(node.server) ? null : server;
}

function publish(server: ModelServer, node: ModelNode, now: Instant): ReadAt | null {
  if (node.noted === null) return null;
  node.seq += 1;
  const said = `${node.epoch} ${node.noted.body}`;
  if (said !== node.said) node.content = node.seq;
  node.said = said;
  const { name, epoch, seq, content } = node;
  const ageMillis = elapsed(node.noted.at, now);
  node.self = { ...node.noted.presence, epoch, seq, content, ageMillis };
  const epochBefore = server.registry.beats.get(name)?.epoch ?? null;
  const beats = new Map(server.registry.beats).set(name, { node: name, epoch, seq, content, ageMillis });
  server.registry = { ...server.registry, beats };
  server.presences = new Map(server.presences).set(name, node.self);
  return {
    master: server.registry.master ?? '',
    beats: [...beats.values()],
    presences: server.presences,
    epochBefore,
  };
}

function takeReading(
  model: FleetModel,
  node: ModelNode,
  { sentAt, read }: Extract<Waiting, { kind: 'reading' }>,
): void {
  node.waiting = null;
  const now = clockOf(model, node);
  if (read === null || elapsed(sentAt, now) > timeoutMillis) {
    fail(model, node);
    return;
  }
  const rules = rulesOf(model, node);
  let nodes = hearBeats(node.memory.nodes, read.beats, rules, now);
  for (const name of unread(nodes)) {
    const presence = read.presences.get(name);
    if (presence !== undefined) nodes = hearPresence(nodes, presence);
  }
  node.memory = { ...readMaster(node.memory, read.master, [group], now), nodes };
  if (read.epochBefore !== null && read.epochBefore > node.epoch) {
    node.epoch = read.epochBefore + 1;
    return;
  }
  const { self } = node;
  if (self !== null && self.epoch === node.epoch)
    node.asks = asksOf(node.memory, wantsOf(node), self, rules, now);
}

function takeAnswer(model: FleetModel, node: ModelNode, waiting: Extract<Waiting, { kind: 'answer' }>): void {
  node.waiting = null;
  const { sentAt, ask, master, answer } = waiting;
  if (answer === null || elapsed(sentAt, clockOf(model, node)) > timeoutMillis) {
    fail(model, node);
    return;
  }
  node.memory = answered(node.memory, ask, answer, { sentAt, master });
  if (answer.kind === 'anew') fail(model, node);
}

function fail(model: FleetModel, node: ModelNode): void {
  node.asks = [];
  node.memory = { ...node.memory, link: linkFailed(node.memory.link, 'lost') };
  const reachable = !node.cutOff.has(model.master) && model.servers[model.master]?.alive === true;
  if (reachable) node.server = model.master;
}

/** Another server is the master, with what it had some writes ago; the old one may live on. */
export function failOver(model: FleetModel, from: ModelServer, oldLives: boolean): void {
  const old = model.servers[model.master];
  if (old !== undefined) old.alive = oldLives;
  const master = `m${model.servers.length}`;
  model.servers.push({ ...from, registry: { ...from.registry, master }, alive: true });
  model.master = model.servers.length - 1;
}

/** All of the data is gone; the next one to publish makes a new generation. */
export function wipe(model: FleetModel): void {
  const at = model.master;
  const server = model.servers[at];
  if (server !== undefined) model.servers[at] = newServer(`${server.registry.master ?? ''}w`);
}

/** The daemon starts anew; BIRD stays as it is. */
export function restart(model: FleetModel, node: ModelNode, keepsCheckpoint: boolean): void {
  const wall = model.nowMillis + node.wallMillis;
  node.epoch = Math.max(Math.floor(wall), keepsCheckpoint ? node.epoch + 1 : 0);
  Object.assign(node, { memory: emptyFleetMemory, seq: 0, content: 0, said: '', self: null, noted: null });
  Object.assign(node, { waiting: null, asks: [] });
  if (!keepsCheckpoint) node.out = false;
}

export function announcingNodes(model: FleetModel): number {
  return model.nodes.filter((node) => node.announcing).length;
}
