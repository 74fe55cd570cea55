/**
 * A node with a hand-written bird.conf, whose sessions have other names: observed as it is, then taken over uplink by
 * uplink. What happened is asked at the carriers.
 */
import { readFileSync, writeFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { type CarrierView, observeCarriers, type Observer } from '../../lab/carrier/observer.ts';
import { startCarriers } from '../../lab/carrier/router.ts';
import { followWire, type WireEvent, type WireLog } from '../../lab/carrier/wire-log.ts';
import { carriers, nodeAsn, service } from '../../lab/network/addresses.ts';
import { type CarrierName, freshLabId } from '../../lab/network/names.ts';
import { type Network, startNetwork } from '../../lab/network/network.ts';
import { type CommandResult, tryRun } from '../../lab/network/command.ts';
import { inside } from '../../lab/network/inside.ts';
import { compiledProgram, startIn } from '../../lab/network/process.ts';
import { waitUntil } from '../../lab/network/wait.ts';
import { askNodeBird } from '../../lab/node/bird.ts';
import { nodeConfig, nodeFiles } from '../../lab/node/config.ts';
import { sessionsUp } from '../../lab/node/lab.ts';
import { applyRouting, readStatus, startDaemon } from '../../lab/node/program.ts';
import { families, type Family } from '../../src/types/units.ts';

const theirName = (carrier: string, family: Family): string => `upstream_${carrier}_v${family}`;

/** As an operator writes it: a template, filters with names, and one anycast static for all. */
function operatorsConf(): string {
  const family4and6 = families.map(
    (family) => `
protocol static anycast${family} { ipv${family}; route ${service.prefix[family]} blackhole; }
filter to_upstreams${family} {
  if net ~ [ ${service.prefix[family]} ] then { bgp_med = 100; accept; } # nothing else leaves
  reject;
}
template bgp upstream${family} {
  local as ${nodeAsn};
  connect delay time 1; connect retry time 2; error wait time 1, 4;
  ipv${family} { import all; export filter to_upstreams${family}; };
}`,
  );
  const sessions = carriers.flatMap((plan) =>
    families.map(
      (family) => `
protocol bgp ${theirName(plan.name, family)} from upstream${family} {
  description "our ${plan.name} { port }";
  neighbor ${plan.router[family]} as ${plan.asn};
  source address ${plan.node[family]};
  ipv${family} { import filter { bgp_local_pref = ${400 - 100 * plan.index}; accept; }; };
}`,
    ),
  );
  return `router id 10.255.0.1;\nprotocol device { scan time 10; }\n${family4and6.join('\n')}\n${sessions.join('\n')}\n`;
}

let network: Network;
let observer: Observer;
let wire: WireLog;
let conf: string;

beforeAll(async () => {
  network = await startNetwork(freshLabId());
  conf = join(network.folder, 'bird.conf');
  const files = nodeFiles(network);
  mkdirSync(dirname(files.owned), { recursive: true });
  writeFileSync(conf, operatorsConf());
  writeFileSync(files.config, observing());
  await Promise.all([startCarriers(network), applyRouting(network)]);
  await startIn({
    namespace: network.namespace('node'),
    argv: ['bird', '-f', '-c', conf, '-s', files.birdSocket],
    log: join(network.folder, 'node-bird.log'),
    pidFile: join(network.folder, 'node-bird.pid'),
  });
  observer = observeCarriers(network);
  await waitUntil('six sessions of other names', () => sessionsUp(observer), { timeoutMillis: 60_000 });
  await waitUntil('every carrier to hold both routes', async () => {
    const views = Object.values(await observer.views());
    return views.every(({ routes }) => families.every((family) => routes[family] !== null));
  });
  wire = followWire(network);
});
afterAll(() => {
  wire?.stop();
  observer?.close();
  network?.remove();
});

/** The lab's config, observing the operator's sessions. */
function observing(): string {
  const files = nodeFiles(network);
  const config: Record<string, unknown> = parse(nodeConfig(files, {}));
  const adopt = Object.fromEntries(
    carriers.flatMap(({ name }) => families.map((family) => [`${name}${family}`, theirName(name, family)])),
  );
  return stringify({
    ...config,
    mode: 'observe',
    bird: { socket: files.birdSocket, config: files.owned, layout: 'include', adopt },
  });
}

/** One run of the program in the node; a session may take seconds to come back. */
function run([command = '', ...more]: readonly string[]): Promise<CommandResult> {
  const program = [
    process.execPath,
    compiledProgram('src/cli/main'),
    command,
    '-c',
    nodeFiles(network).config,
  ];
  return tryRun('ip', inside(network.namespace('node'), [...program, ...more]), { timeoutMillis: 150_000 });
}

const eventsOf = (carrier: CarrierName): readonly WireEvent[] =>
  wire.events().filter((event) => event.carrier === carrier);

describe('observing', () => {
  test('sees the sessions and what they export, and changes nothing', async () => {
    await startDaemon(network);
    const status = await waitUntil('all to be seen exported', async () => {
      const document = await readStatus(network);
      const all = document?.uplinks.flatMap(({ families: each }) => [each['4'], each['6']]) ?? [];
      const isSeen = all.every((one) => one?.announcements.every(({ seen }) => seen === 'exported') === true);
      return all.length > 0 && isSeen ? document : null;
    });
    for (const { families: each } of status.uplinks) {
      expect(each['4']?.session.state).toBe('Established');
      expect(each['4']?.announcements[0]).toMatchObject({ configured: null, seen: 'exported' });
    }
    expect(status.alarms.filter(({ code }) => code === 'protocol-missing')).toEqual([]);
    expect(readFileSync(conf, 'utf8')).toBe(operatorsConf());
    expect(wire.events()).toEqual([]);
  });

  test('a session of theirs that is taken down is seen down, and nothing is done about it', async () => {
    await askNodeBird(network, `disable ${theirName('hkbn', 6)}`);
    await waitUntil('the status to say so', async () => {
      const document = await readStatus(network);
      const hkbn = document?.uplinks.find(({ uplink }) => uplink === 'hkbn')?.families['6'];
      return hkbn?.announcements[0]?.seen === 'session-down';
    });
    await askNodeBird(network, `enable ${theirName('hkbn', 6)}`);
    await waitUntil('six sessions again', () => sessionsUp(observer), { timeoutMillis: 60_000 });
  });
});

describe('migrating', () => {
  const words = (carrier: string, ...more: string[]): readonly string[] => [
    'migrate',
    carrier,
    '--bird-conf',
    conf,
    '--drain-for',
    '0s',
    ...more,
  ];

  test('without consent it names the resets and changes nothing', async () => {
    const asked = await run(words('cmi'));
    expect(asked.exitCode).toBe(1);
    expect(asked.stderr).toContain('--yes-reset');
    expect(asked.stdout).toMatch(/RESETS upstream_cmi_v4, upstream_cmi_v6/);
    expect(readFileSync(conf, 'utf8')).toBe(operatorsConf());
  });

  test.each<CarrierName>(['cmi', 'pccw', 'hkbn'])(
    'takes %s over, drained first, and no other carrier hears a thing',
    async (carrier) => {
      const others = carriers.map(({ name }) => name).filter((name) => name !== carrier);
      const before = await observer.views();
      const from = new Map(carriers.map(({ name }) => [name, eventsOf(name).length]));
      const said = await run(words(carrier, '--yes-reset'));
      expect(`${said.stdout}${said.stderr}`).toContain(`${carrier} is taken over`);
      expect(said.exitCode).toBe(0);
      const after = await waitUntil(`${carrier} to hold both routes, undrained`, async () => {
        const views = await observer.views();
        return families.every((family) => views[carrier].routes[family]?.communities.length === 0)
          ? views
          : null;
      });
      for (const other of others) {
        expect(eventsOf(other).slice(from.get(other))).toEqual([]);
        for (const family of families)
          expect(heard(after[other], family)).toEqual(heard(before[other], family));
      }
      for (const family of families) expectStory(carrier, family, from.get(carrier) ?? 0);
    },
  );

  test('afterwards everything is Causeway’s, and is seen so', async () => {
    expect((await run(words('cmi', '--yes-reset'))).stdout).toContain('nothing is left');
    const left = (await askNodeBird(network, 'show protocols')).filter((line) => line.includes(' BGP '));
    expect(new Set(left.map((line) => line.split(' ')[0]))).toEqual(
      new Set(carriers.flatMap(({ name }) => families.map((family) => `bgp_${name}${family}`))),
    );
    await waitUntil('all to be seen exported', async () => {
      const document = await readStatus(network);
      const all = document?.uplinks.flatMap(({ families: each }) => [each['4'], each['6']]) ?? [];
      return all.every((one) =>
        one?.announcements.every(
          ({ configured, exported }) => configured === 'announce' && exported === 'exported',
        ),
      );
    });
  });
});

/** What a carrier counts of a session: nothing of it may change for those that are not taken over. */
function heard(view: CarrierView, family: Family) {
  return view.sessions[family];
}

/** Drained, closed, opened, drained still, and then as it should be: once each, in this order. */
function expectStory(carrier: CarrierName, family: Family, from: number): void {
  const story = eventsOf(carrier)
    .slice(from)
    .filter((event) => event.family === family && event.kind !== 'withdrawn')
    .map((event) => {
      if (event.kind === 'session') return event.up ? 'up' : 'down';
      return event.kind === 'announced' && event.communities.includes('65535:0') ? 'drained' : 'announced';
    });
  const turns = story.filter((word, index) => word !== story[index - 1]);
  expect(turns).toEqual(['drained', 'down', 'up', 'drained', 'announced']);
}
