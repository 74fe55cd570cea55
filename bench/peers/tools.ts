/** All tools of the comparison, in the order of the table: ours, those that a package brings, and modelled ones. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { carriers, nodeAsn, service, targets } from '../../lab/network/addresses.ts';
import { ipBatch } from '../../lab/network/command.ts';
import { compiledProgram, readPidFile, startIn, stopPidFile } from '../../lab/network/process.ts';
import { stopNodeBird } from '../../lab/node/bird.ts';
import { nodeFiles } from '../../lab/node/config.ts';
import { startDaemon, stopDaemon } from '../../lab/node/program.ts';
import { liveRules, type LiveRule } from './live-rules.ts';
import type { PeerStand } from './stand.ts';
import type { RunningTool, Tool } from './tool.ts';

const firstTarget = targets[0]?.address[4] ?? '';

const causeway: Tool = {
  name: 'causeway',
  set: 'its defaults; ten targets in five regions',
  cannot: '–',
  version: () => Promise.resolve(versionIn('package.json')),
  async start({ network }) {
    await startDaemon(network);
    return { kill: () => stopDaemon(network, 'SIGKILL'), stop: () => stopDaemon(network, 'SIGKILL') };
  },
};

/** A VRRP instance for each uplink on a dummy interface: its script pings, its notify scripts tell BIRD. */
const keepalived: Tool = {
  name: 'keepalived',
  set: 'vrrp_script defaults (interval 1 s, rise 1, fall 1), one ping; notify scripts run birdc',
  cannot: 'tell a dead target from a dead uplink, hold back when all fail',
  version: () => firstLine('keepalived', ['--version'], /v([\d.]+)/),
  async start({ network }) {
    await ipBatch(network.namespace('node'), [
      'link add vrrp0 type dummy',
      'addr add 169.254.255.1/24 dev vrrp0',
      'link set vrrp0 up',
    ]).catch(() => undefined);
    const config = join(network.folder, 'keepalived.conf');
    writeFileSync(config, keepalivedConfig(nodeFiles(network).birdSocket));
    const pid = (name: string): string => join(network.folder, `${name}.pid`);
    return runTool(network, 'keepalived', [
      'keepalived',
      '--dont-fork',
      '--log-console',
      '--vrrp',
      '-f',
      config,
      '-p',
      pid('ka'),
      '-r',
      pid('ka-vrrp'),
    ]);
  },
};

function keepalivedConfig(socket: string): string {
  const birdc = (word: string, name: string): string =>
    `"/usr/sbin/birdc -s ${socket} ${word} announce_${name}_web4"`;
  const parts = carriers.map(
    ({
      name,
      index,
    }) => `vrrp_script look_${name} { script "/usr/bin/ping -n -q -c 1 -W 1 -I ${name} ${firstTarget}" }
vrrp_instance ${name} {
  state BACKUP
  interface vrrp0
  virtual_router_id ${50 + index}
  priority 100
  advert_int 1
  virtual_ipaddress { 169.254.254.${index}/32 dev vrrp0 }
  track_script { look_${name} weight 0 }
  notify_backup ${birdc('enable', name)}
  notify_master ${birdc('enable', name)}
  notify_fault ${birdc('disable', name)}
}`,
  );
  return `global_defs { script_user root }\n${parts.join('\n')}\n`;
}

/** Speaks BGP itself, in BIRD's place: a health check for each neighbour. */
const exabgp: Tool = {
  name: 'exabgp healthcheck',
  set: 'defaults (interval 5 s, fast 1 s, timeout 5 s, rise 3, fall 3), one ping, withdraws when down',
  cannot: 'tell a dead target from a dead uplink, hold back when all fail; its routes go when it dies',
  version: () => firstLine('exabgp', ['--version'], /([\d.]+)/),
  async start({ network }) {
    await stopNodeBird(network, 'SIGTERM');
    const namespace = network.namespace('node');
    // BIRD took the routes of its tables along.
    await ipBatch(
      namespace,
      carriers.map(
        ({ name, index, router }) =>
          `route replace default via ${router[4]} dev ${name} table ${1000 + index}`,
      ),
    );
    const config = join(network.folder, 'exabgp.conf');
    writeFileSync(config, exabgpConfig());
    const env = [
      'exabgp.daemon.user=root',
      'exabgp.api.cli=false',
      'exabgp.log.destination=stdout',
      'exabgp.daemon.drop=false',
    ];
    return runTool(network, 'exabgp', ['env', ...env, 'exabgp', config]);
  },
};

function exabgpConfig(): string {
  const parts = carriers.map(({ name, asn, node, router }) => {
    const check = `ping -n -q -c 1 -W 1 -I ${name} ${firstTarget}`;
    return `process look_${name} {
  run python3 -m exabgp healthcheck --no-syslog --no-ip-setup --withdraw-on-down --ip ${service.prefix[4]} --next-hop ${node[4]} --command "${check}";
  encoder text;
}
neighbor ${router[4]} {
  router-id 10.255.0.1; local-address ${node[4]}; local-as ${nodeAsn}; peer-as ${asn};
  family { ipv4 unicast; }
  api { processes [ look_${name} ]; }
}`;
  });
  return `${parts.join('\n')}\n`;
}

function modelled({ name, set, cannot }: LiveRule): Tool {
  return {
    name,
    set,
    cannot,
    version: () => Promise.resolve('modelled'),
    start: ({ network }) =>
      runTool(network, name, [
        process.execPath,
        compiledProgram('bench/peers/rule-process'),
        name,
        nodeFiles(network).birdSocket,
      ]),
  };
}

export const tools: readonly Tool[] = [
  causeway,
  keepalived,
  exabgp,
  ...liveRules.map((rule) => modelled(rule)),
];

async function runTool(
  network: PeerStand['network'],
  name: string,
  argv: readonly string[],
): Promise<RunningTool> {
  const pidFile = join(network.folder, `peer-${name.replaceAll(' ', '-')}.pid`);
  await startIn({ namespace: network.namespace('node'), argv, log: `${pidFile}.log`, pidFile });
  return {
    async kill() {
      if (readPidFile(pidFile) === null) throw new Error(`${name} had ended by itself: ${pidFile}.log`);
      await stopPidFile(pidFile, 'SIGKILL');
    },
    stop: () => stopPidFile(pidFile, 'SIGTERM'),
  };
}

async function firstLine(program: string, args: readonly string[], form: RegExp): Promise<string | null> {
  const { stdout, stderr, failed } = await execa(program, args, {
    reject: false,
    env: { PATH: `${process.env['PATH']}:/usr/sbin` },
  });
  if (failed && stdout === '' && stderr === '') return null;
  return form.exec(`${stdout}\n${stderr}`)?.[1] ?? null;
}

function versionIn(path: string): string {
  const read: unknown = JSON.parse(readFileSync(path, 'utf8'));
  return typeof read === 'object' && read !== null && 'version' in read ? String(read.version) : '?';
}
