/** keepalived as its package brings it: a VRRP instance for each uplink, whose script pings and whose notify scripts tell BIRD. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { carriers, targets } from '../../lab/network/addresses.ts';
import { run, tryRun } from '../../lab/network/command.ts';
import type { CarrierName } from '../../lab/network/names.ts';
import type { Network } from '../../lab/network/network.ts';
import { nodeFiles } from '../../lab/node/config.ts';
import { runTool, type Tool } from './tool.ts';
import { versionOf } from './version.ts';

interface Setting {
  readonly name: string;
  readonly set: string;
  readonly cannot: string;
  /** What stands in vrrp_script besides the script. */
  readonly pace: readonly string[];
  readonly targets: number;
}

const settings: readonly Setting[] = [
  {
    name: 'keepalived',
    set: 'keepalived.conf(5) defaults of vrrp_script (interval 1 s, rise 1, fall 1), one ping; notify scripts run birdc',
    cannot: 'tell a dead target from a dead uplink, hold back when all fail',
    pace: [],
    targets: 1,
  },
  {
    name: 'keepalived with care',
    set: 'as somebody would set it with care: fails when none of four targets answers, interval 2 s, timeout 5 s, rise 3, fall 3',
    cannot: 'see partial loss, hold back when all fail',
    pace: ['interval 2', 'timeout 5', 'rise 3', 'fall 3'],
    targets: 4,
  },
];

export const keepaliveds: readonly Tool[] = settings.map((setting) => ({
  name: setting.name,
  set: setting.set,
  cannot: setting.cannot,
  version: () => versionOf('keepalived', ['--version'], /v([\d.]+)/),
  async start(network) {
    await makeInterface(network);
    const inFolder = (name: string): string => join(network.folder, name);
    const config = inFolder('keepalived.conf');
    for (const { name } of carriers) writeLook(network, name, setting.targets);
    writeFileSync(config, configText(network, setting));
    const pids = ['-p', inFolder('ka.pid'), '-r', inFolder('ka-vrrp.pid')];
    const argv = ['keepalived', '--dont-fork', '--log-console', '--vrrp', '-f', config, ...pids];
    return runTool(network, setting.name, argv);
  },
}));

/** What VRRP runs on; nobody else speaks it there. A veth, which the lab needs anyway: some kernels have no dummies. */
async function makeInterface(network: Network): Promise<void> {
  const namespace = network.namespace('node');
  const shown = await tryRun('ip', ['-n', namespace, 'link', 'show', 'vrrp0']);
  if (shown.exitCode === 0) return;
  const words = [
    'link add vrrp0 type veth peer name vrrp1',
    'link set vrrp1 up',
    'addr add 169.254.255.1/24 dev vrrp0',
    'link set vrrp0 up',
  ];
  for (const line of words) await run('ip', ['-n', namespace, ...line.split(' ')]);
}

function lookPath(network: Network, carrier: CarrierName): string {
  return join(network.folder, `look-${carrier}`);
}

function writeLook(network: Network, carrier: CarrierName, count: number): void {
  const asked = targets.slice(0, count).map(({ address }) => address[4]);
  const path = lookPath(network, carrier);
  const each = `for target in ${asked.join(' ')}; do ping -n -q -c 1 -W 1 -I ${carrier} $target && exit 0; done`;
  writeFileSync(path, `#!/bin/sh\n${each}\nexit 1\n`);
  chmodSync(path, 0o755);
}

function configText(network: Network, { pace }: Setting): string {
  const { birdSocket } = nodeFiles(network);
  const birdc = (word: string, name: string): string =>
    `"/usr/sbin/birdc -s ${birdSocket} ${word} announce_${name}_web4"`;
  const parts = carriers.map(
    ({ name, index }) => `vrrp_script look_${name} {
  script "${lookPath(network, name)}"
  ${pace.join('\n  ')}
}
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
