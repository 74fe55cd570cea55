/**
 * No user goes round in circles: random walks over nodes and states, on the very module that nginx runs. Every node has its
 * own, perhaps old and contradicting, snapshot; DNS may hand the user to any node; redirects are followed to the end.
 */
import { fc, test } from '../support/property.ts';
import { afterAll, expect } from 'vitest';
import { startLua } from '../support/lua.ts';

const lua = startLua(`
  local steer = require 'edge.steer'
  return function(ask)
    local steered = {}
    for _, host in ipairs(ask.world.steered) do steered[host] = true end
    ask.world.steered = steered
    ask.world.hosts = ask.world.snapshot and steer.hosts(ask.world.snapshot)
    local action, reason, node = steer.decide(ask.req, ask.world)
    return { action = action, reason = reason, host = node and node.host, name = node and node.name }
  end`);
afterAll(() => lua.close());

const names = ['hk1', 'hk2', 'sg1', 'sg2'] as const;
const carriers = ['cmi', 'pccw', 'hkbn'] as const;
const hostOf = (name: string): string => `${name}.edge.test`;

const uplink = fc.record({
  score: fc.integer({ min: 0, max: 100 }),
  four: fc.boolean(),
  six: fc.boolean(),
  region: fc.option(fc.boolean(), { nil: undefined }),
});
const node = fc.record({
  accepting: fc.boolean(),
  weight: fc.constantFrom(0, 1, 100),
  uplinks: fc.record({ cmi: uplink, pccw: uplink, hkbn: uplink }, { requiredKeys: [] }),
});
/** What one node believes of all nodes; it may know only some. */
const belief = fc.record({
  nodes: fc.record({ hk1: node, hk2: node, sg1: node, sg2: node }, { requiredKeys: [] }),
  fresh: fc.boolean(),
  known: fc.boolean(),
});
const world = fc.record({ hk1: belief, hk2: belief, sg1: belief, sg2: belief });
const user = fc.record({
  client: fc.stringMatching(/^[0-9a-f]{1,8}$/),
  family: fc.constantFrom('4', '6'),
  region: fc.option(fc.constantFrom('ID', 'PH'), { nil: undefined }),
  method: fc.constantFrom('GET', 'HEAD'),
  carriers: fc.subarray([...carriers], { minLength: 1 }),
  entry: fc.constantFrom(...names),
});

interface Decision {
  readonly action: 'serve' | 'redirect';
  readonly reason: string;
  readonly host?: string;
  readonly name?: string;
}

type World = typeof world extends fc.Arbitrary<infer T> ? T : never;
type User = typeof user extends fc.Arbitrary<infer T> ? T : never;

function snapshotOf(self: string, believed: World['hk1']): object | undefined {
  if (!believed.known) return undefined;
  const nodes = Object.entries(believed.nodes).map(([name, one]) => [
    name,
    {
      host: hostOf(name),
      accepting: one?.accepting,
      weight: one?.weight,
      uplinks: Object.fromEntries(
        Object.entries(one?.uplinks ?? {}).map(([carrier, link]) => {
          const regions = link?.region === undefined ? undefined : { ID: link.region };
          return [
            carrier,
            {
              carrier,
              score: link?.score,
              families: { '4': { up: link?.four, regions }, '6': { up: link?.six, regions } },
            },
          ];
        }),
      ),
    },
  ]);
  return { self, nodes: Object.fromEntries(nodes) };
}

async function decide(
  at: string,
  host: string,
  who: User,
  all: World,
  steered: readonly string[],
): Promise<Decision> {
  const believed = all[at as (typeof names)[number]];
  const answer = await lua.call({
    req: {
      host,
      method: who.method,
      client: who.client,
      family: who.family,
      region: who.region,
      network: { kind: 'access', carriers: who.carriers },
    },
    world: { host: hostOf(at), steered, snapshot: snapshotOf(at, believed), fresh: believed.fresh },
  });
  return answer as Decision;
}

test.prop([world, user], { numRuns: 10_000 })(
  'a user is redirected once at most, to a node that accepts and has the carrier up in the redirecting node’s eyes',
  async (all, who) => {
    const steered = ['www.example.test'];
    const first = await decide(who.entry, 'www.example.test', who, all, steered);
    if (first.action === 'serve') return;
    const believed = all[who.entry];
    expect(believed.known && believed.fresh).toBe(true);
    const target = believed.nodes[first.name as (typeof names)[number]];
    expect(first.name).not.toBe(who.entry);
    expect(target?.accepting).toBe(true);
    const good = Object.entries(target?.uplinks ?? {}).some(([carrier, link]) => {
      const up = who.family === '4' ? link?.four : link?.six;
      return (
        who.carriers.includes(carrier as 'cmi') && up && !(who.region === 'ID' && link?.region === false)
      );
    });
    expect(good).toBe(true);
    // The redirected request arrives at that node under its own name; whatever that node believes, it serves.
    const second = await decide(first.name ?? '', first.host ?? '', who, all, steered);
    expect([second.action, second.reason]).toEqual(['serve', 'terminal']);
  },
);

test.prop([world, user, fc.constantFrom(...names)], { numRuns: 1000 })(
  'a node’s own name that somebody lists as a steered name is never a target, and is served where it arrives',
  async (all, who, wrong) => {
    const steered = ['www.example.test', hostOf(wrong)];
    const first = await decide(who.entry, 'www.example.test', who, all, steered);
    expect(first.host).not.toBe(hostOf(wrong));
    expect((await decide(wrong, hostOf(wrong), who, all, steered)).action).toBe('serve');
    // And where DNS leads that name to another node which knows whose it is.
    const elsewhere = all[who.entry];
    if (elsewhere.known && elsewhere.nodes[wrong]) {
      expect((await decide(who.entry, hostOf(wrong), who, all, steered)).reason).toBe('terminal');
    }
  },
);

test.prop([world, user], { numRuns: 300 })(
  'the same user gets the same answer each time',
  async (all, who) => {
    const once = await decide(who.entry, 'www.example.test', who, all, ['www.example.test']);
    expect(await decide(who.entry, 'www.example.test', who, all, ['www.example.test'])).toEqual(once);
  },
);
