/** The lab node's causeway.yaml: mode live, the whole bird.conf, three uplinks, two targets in each of five regions. */
import { join } from 'node:path';
import { stringify } from 'yaml';
import { families } from '../../src/types/units.ts';
import {
  carriers,
  nodeAsn,
  service,
  targets,
  type CarrierPlan,
  type TargetPlan,
} from '../network/addresses.ts';
import type { Network } from '../network/network.ts';

export interface NodeOptions {
  /** Absent: `clean` and `hold` of 3 s. `defaults`: what the program has by itself. */
  readonly recovery?: 'defaults' | { readonly clean: string; readonly hold: string };
  readonly patience?: string;
  readonly together?: string;
  /** The daemon reaches BIRD by this socket in place of BIRD's own: `bird-proxy.ctl` in the lab's folder. */
  readonly proxy?: boolean;
}

export interface NodeFiles {
  readonly config: string;
  /** BIRD's own socket. */
  readonly birdSocket: string;
  readonly proxySocket: string;
  /** The file that Causeway owns, in a directory of its own. */
  readonly owned: string;
  readonly control: string;
  readonly state: string;
  readonly daemonLog: string;
}

export const nodeListen = '127.0.0.1:9180';

export function nodeFiles(network: Network): NodeFiles {
  const inFolder = (name: string) => join(network.folder, name);
  return {
    config: inFolder('causeway.yaml'),
    birdSocket: inFolder('bird.ctl'),
    proxySocket: inFolder('bird-proxy.ctl'),
    owned: inFolder('bird/causeway.conf'),
    control: inFolder('control.sock'),
    state: inFolder('state'),
    daemonLog: inFolder('daemon.log'),
  };
}

/** The config as YAML text. */
export function nodeConfig(files: NodeFiles, options: NodeOptions): string {
  return stringify({
    mode: 'live',
    node: { name: 'hk1', site: 'hkg', asn: nodeAsn, router_id: '10.255.0.1' },
    bird: {
      socket: options.proxy === true ? files.proxySocket : files.birdSocket,
      config: files.owned,
      layout: 'whole',
    },
    services: { [service.name]: { prefixes: families.map((family) => service.prefix[family]) } },
    uplinks: Object.fromEntries(carriers.map((plan) => [plan.name, uplink(plan)])),
    policy: {
      ...(options.patience === undefined ? {} : { patience: options.patience }),
      ...recovery(options),
    },
    ...(options.together === undefined ? {} : { guards: { together: options.together } }),
    http: { listen: nodeListen },
    paths: { state: files.state, control: files.control },
  });
}

/** `max_hold` equals `hold`, so that a lab that is broken again and again does not wait longer each time. */
function recovery(options: NodeOptions) {
  if (options.recovery === 'defaults') return {};
  const { clean, hold } = options.recovery ?? { clean: '3s', hold: '3s' };
  return { recovery: { clean, hold, max_hold: hold } };
}

function uplink(plan: CarrierPlan) {
  return {
    carrier: plan.name,
    interface: plan.name,
    source: families.map((family) => plan.node[family]),
    peer: { asn: plan.asn, address: families.map((family) => plan.router[family]) },
    table: 1000 + plan.index,
    local_pref: 400 - 100 * plan.index,
    targets: targets.map(target),
  };
}

function target({ name, region, address, tcp }: TargetPlan) {
  const ping = families.map((family) => address[family]);
  return tcp ? { name, region, ping, tcp: 443 } : { name, region, ping };
}
