/**
 * A node with a hand-written bird.conf, whose sessions have other names than ours, and the program observing it.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse, stringify } from 'yaml';
import { observeCarriers, type Observer } from '../../../lab/carrier/observer.ts';
import { startCarriers } from '../../../lab/carrier/router.ts';
import { followWire, type WireLog } from '../../../lab/carrier/wire-log.ts';
import { carriers, nodeAsn, service } from '../../../lab/network/addresses.ts';
import { type CommandResult, tryRun } from '../../../lab/network/command.ts';
import { inside } from '../../../lab/network/inside.ts';
import { freshLabId } from '../../../lab/network/names.ts';
import { type Network, startNetwork } from '../../../lab/network/network.ts';
import { compiledProgram, startIn } from '../../../lab/network/process.ts';
import { nodeConfig, nodeFiles } from '../../../lab/node/config.ts';
import { waitAnnounced } from '../../../lab/node/lab.ts';
import { applyRouting } from '../../../lab/node/program.ts';
import { families, type Family } from '../../../src/types/units.ts';

export interface HandWrittenNode {
  readonly network: Network;
  readonly observer: Observer;
  readonly wire: WireLog;
  /** The operator's bird.conf. */
  readonly conf: string;
  /** The words of one run of the program in the node; a session may take seconds to come back. */
  run(words: readonly string[]): Promise<CommandResult>;
  /** As `run` takes them: one uplink is taken over, with no time for traffic to leave. */
  migrateWords(carrier: string, ...more: readonly string[]): readonly string[];
  remove(): void;
}

export const theirName = (carrier: string, family: Family): string => `upstream_${carrier}_v${family}`;

/** As an operator writes it: a template, filters with names, and one anycast static for all. */
export function operatorsConf(): string {
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

/** Resolves when all six sessions are up and every carrier holds both routes. */
export async function startHandWrittenNode(): Promise<HandWrittenNode> {
  const network = await startNetwork(freshLabId());
  const conf = join(network.folder, 'bird.conf');
  const files = nodeFiles(network);
  mkdirSync(dirname(files.owned), { recursive: true });
  writeFileSync(conf, operatorsConf());
  writeFileSync(files.config, observing(network));
  await Promise.all([startCarriers(network), applyRouting(network)]);
  await startIn({
    namespace: network.namespace('node'),
    argv: ['bird', '-f', '-c', conf, '-s', files.birdSocket],
    log: join(network.folder, 'node-bird.log'),
    pidFile: join(network.folder, 'node-bird.pid'),
  });
  const observer = observeCarriers(network);
  await waitAnnounced({ observer });
  const wire = followWire(network);
  return {
    network,
    observer,
    wire,
    conf,
    run: (words) =>
      tryRun('ip', inside(network.namespace('node'), programLine(network, words)), {
        timeoutMillis: 150_000,
      }),
    migrateWords: (carrier, ...more) => [
      'migrate',
      carrier,
      '--bird-conf',
      conf,
      '--drain-for',
      '0s',
      ...more,
    ],
    remove() {
      wire.stop();
      observer.close();
      network.remove();
    },
  };
}

/** The program with its config, to run in the node's namespace. */
export function programLine(network: Network, [command = '', ...more]: readonly string[]): string[] {
  return [
    process.execPath,
    compiledProgram('src/cli/main'),
    command,
    '-c',
    nodeFiles(network).config,
    ...more,
  ];
}

/** The lab's config, observing the operator's sessions. */
function observing(network: Network): string {
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
