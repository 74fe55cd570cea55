/** Watches from outside, from now to the end: the carriers' logs and tables, DNS by `dig`, edges by `curl`, the machine. */
import type { Family } from '../../src/types/units.ts';
import { openControl, type Control } from '../carrier/control.ts';
import { carrierFiles } from '../carrier/router.ts';
import type { WireEvent } from '../carrier/wire-log.ts';
import {
  carrierNames,
  databaseRooms,
  fleetNodeNames,
  type CarrierName,
  type FleetNodeName,
} from '../network/names.ts';
import { visit } from '../node/edge.ts';
import { digAll, type Asked } from './dig.ts';
import type { Fact, Place } from './facts.ts';
import { askedName, clients } from './geodns.ts';
import { edgeUsers, type World } from './world.ts';

export interface Watch {
  facts(): readonly Fact[];
  stop(): Promise<void>;
}

type Note = (fact: Fact) => void;

const everyMillis = { tables: 2000, dns: 1000, edge: 2000, machine: 100 };
/** A timer that is later than this was not let run. */
const stallMillis = 400;

/** Resolves when the first look at everything is done. */
export async function watch(world: World): Promise<Watch> {
  const facts: Fact[] = [];
  const note: Note = (fact) => facts.push(fact);
  const heardBefore = world.fleet.wire.events().length;
  const controls = new Map(
    carrierNames.map((carrier) => [
      carrier,
      openControl(carrierFiles(world.fleet.network.shared, carrier).socket),
    ]),
  );
  const tables = tableLook(world, controls, note);
  await tables();
  const loops = [
    repeat(everyMillis.tables, tables),
    repeat(everyMillis.dns, dnsLook(world, note)),
    repeat(everyMillis.edge, edgeLook(world, note)),
    watchMachine(note),
  ];
  return {
    facts: () => [
      ...facts,
      ...world.fleet.wire
        .events()
        .slice(heardBefore)
        .flatMap((event) => factOf(event)),
    ],
    async stop() {
      await Promise.all(loops.map((stop) => stop()));
      for (const control of controls.values()) control.close();
    },
  };
}

/** One look after the other, begun so often; an error is a look that saw nothing. */
function repeat(millis: number, look: () => Promise<void>): () => Promise<void> {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const turn = (): void => {
    if (stopped) return;
    const began = performance.now();
    running = (async () => {
      await look().catch(() => undefined);
      timer = setTimeout(turn, Math.max(50, millis - (performance.now() - began)));
    })();
  };
  turn();
  return async () => {
    stopped = true;
    await running;
    clearTimeout(timer);
  };
}

function watchMachine(note: Note): () => Promise<void> {
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    const late = now - last - everyMillis.machine;
    if (late > stallMillis) note({ kind: 'stall', at: Date.now(), millis: Math.round(late) });
    last = now;
  }, everyMillis.machine);
  return async () => clearInterval(timer);
}

/** What the carriers' tables hold of each session, told where it differs from the last look. */
function tableLook(world: World, controls: ReadonlyMap<CarrierName, Control>, note: Note) {
  const last = new Map<string, string>();
  return async (): Promise<void> => {
    for (const [carrier, control] of controls) {
      const at = Date.now();
      const held = readTables(await control.ask('show route'));
      for (const node of world.nodes)
        for (const family of [4, 6] as const) {
          const prefixes = held.get(`${node} ${family}`) ?? [];
          const key = `${carrier} ${node} ${family}`;
          if (last.get(key) === prefixes.join(' ')) continue;
          last.set(key, prefixes.join(' '));
          note({ kind: 'table', at, node, carrier, family, prefixes });
        }
    }
  };
}

/** Of `show route`: prefixes by `hk1 4`. Pure. */
export function readTables(lines: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const held = new Map<string, string[]>();
  let prefix = '';
  for (const line of lines) {
    const match = /^(\S+\/\d+)?\s+unicast \[([a-z]+\d)_([46]) /.exec(line);
    const named = /^(\S+\/\d+)\s/.exec(line)?.[1];
    if (named !== undefined) prefix = named;
    if (match === null) continue;
    const key = `${match[2]} ${match[3]}`;
    held.set(key, [...(held.get(key) ?? []), prefix]);
  }
  return held;
}

function dnsLook({ fleet }: World, note: Note) {
  const questions = databaseRooms.flatMap((site) =>
    clients.flatMap((client) => ([4, 6] as const).map((family) => ({ site, client, family }))),
  );
  const asked = questions.map(
    ({ site, client, family }): Asked => ({
      site,
      name: askedName,
      type: family === 4 ? 'A' : 'AAAA',
      subnet: client,
    }),
  );
  return async (): Promise<void> => {
    // A `dig` for each site: one that is silent would hold up the others.
    await Promise.all(
      databaseRooms.map(async (site) => {
        const mine = questions.flatMap((question, index) => (question.site === site ? [index] : []));
        // The time of asking, not of the last answer: an answer is as old as its question.
        const at = Date.now();
        const answers = await digAll(
          fleet.network,
          mine.flatMap((index) => asked[index] ?? []),
        );
        for (const [place, index] of mine.entries()) {
          const question = questions[index];
          const answer = answers[place];
          if (question !== undefined && answer !== undefined)
            note({ kind: 'dns', at, ...question, answer: answer === 'silent' ? answer : answer.toSorted() });
        }
      }),
    );
  };
}

function edgeLook(world: World, note: Note) {
  let turn = 0;
  return async (): Promise<void> => {
    turn += 1;
    const carrier = carrierNames[turn % carrierNames.length] ?? 'cmi';
    for (const node of world.edges) {
      const at = Date.now();
      const { status, location } = await visit(world.node(node).lab.network, edgeUsers[carrier]);
      note({ kind: 'visit', at, node, carrier, status, sentTo: nodeOfHost(location) });
    }
  };
}

function nodeOfHost(location: string): FleetNodeName | null {
  const host = /^https?:\/\/([a-z0-9]+)\.edge\.test/.exec(location)?.[1];
  return fleetNodeNames.find((name) => name === host) ?? null;
}

function factOf(event: WireEvent): readonly Fact[] {
  const node = fleetNodeNames.find((name) => name === event.node);
  if (node === undefined) return [];
  const { at, carrier, family } = event;
  const place: Place = { node, carrier, family: family satisfies Family };
  if (event.kind === 'session') return [{ kind: 'session', at, ...place, up: event.up }];
  const { prefix } = event;
  if (event.kind === 'withdrawn')
    return [{ kind: 'heard', at, ...place, what: 'withdrawn', prefix, drained: false, path: [] }];
  const drained = event.communities.includes('65535:0');
  return [{ kind: 'heard', at, ...place, what: 'announced', prefix, drained, path: event.path }];
}
