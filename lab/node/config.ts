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
  /** A return is drained first; absent: it is not. */
  readonly canary?: boolean;
  /** Absent: off, since the scenarios of a lab follow one another faster than a penalty halves. */
  readonly flapBudget?: 'cisco';
  /** The daemon reaches BIRD by this socket in place of BIRD's own: `bird-proxy.ctl` in the lab's folder. */
  readonly proxy?: boolean;
  /** What SIGTERM does; absent: keep. */
  readonly onStop?: 'drain' | 'withdraw';
  /** The service is ready when HAProxy on the node says so; `alone` and `boot` as in the config. */
  readonly readiness?: { readonly alone: 'drain' | 'withdraw'; readonly boot: 'as-left' | 'hold' };
  /** The section as it stands in the config; absent: the node stands alone. */
  readonly fleet?: Readonly<Record<string, unknown>>;
  readonly keepNodes?: number;
  /** The section as it stands in the config; absent: no edge is told anything. */
  readonly edge?: Readonly<Record<string, unknown>>;
  /** The sections as they stand in the config; absent: nobody is told. */
  readonly geodns?: Readonly<Record<string, unknown>>;
  readonly webhooks?: readonly Readonly<Record<string, unknown>>[];
  /** `http.token_file`; absent: the port takes no commands. */
  readonly tokenFile?: string;
  /** Time between two probes of a target; absent: what the program has by itself. */
  readonly probeInterval?: string;
  /** How long an answer is waited for; absent: what the program has by itself. */
  readonly probeTimeout?: string;
  /** `peer.hold` of all sessions; absent: what the program has by itself. */
  readonly sessionHold?: string;
}

/** Which node it is and where it is plugged in. */
export interface NodePlace {
  readonly name: string;
  readonly site: string;
  readonly routerId: string;
  readonly uplinks: readonly CarrierPlan[];
  readonly targets: readonly TargetPlan[];
}

const lonePlace: NodePlace = {
  name: 'hk1',
  site: 'hkg',
  routerId: '10.255.0.1',
  uplinks: carriers,
  targets,
};

/** Pace of the readiness check: from the first pass to ready it takes at least (rise - 1) intervals. */
export const readinessPace = { intervalMillis: 300, rise: 5, fall: 3 };

export interface NodeFiles {
  readonly config: string;
  /** BIRD's own socket. */
  readonly birdSocket: string;
  readonly proxySocket: string;
  /** The file that Causeway owns, in a directory of its own. */
  readonly owned: string;
  readonly control: string;
  readonly haproxySocket: string;
  readonly state: string;
  /** What the node's edge reads at its start, and its admin socket. */
  readonly edge: { readonly file: string; readonly socket: string };
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
    haproxySocket: inFolder('haproxy.sock'),
    state: inFolder('state'),
    edge: { file: inFolder('edge.json'), socket: inFolder('edge/run/admin.sock') },
    daemonLog: inFolder('daemon.log'),
  };
}

/** The config as YAML text. */
export function nodeConfig(files: NodeFiles, options: NodeOptions, place: NodePlace = lonePlace): string {
  return stringify({
    mode: 'live',
    node: { name: place.name, site: place.site, asn: nodeAsn, router_id: place.routerId },
    bird: {
      socket: options.proxy === true ? files.proxySocket : files.birdSocket,
      config: files.owned,
      layout: 'whole',
    },
    services: {
      [service.name]: {
        prefixes: families.map((family) => service.prefix[family]),
        ...readiness(files, options),
      },
    },
    ...(options.onStop === undefined ? {} : { on_stop: { do: options.onStop, deadline: '25s' } }),
    ...(options.readiness === undefined ? {} : { on_boot: options.readiness.boot }),
    uplinks: Object.fromEntries(
      place.uplinks.map((plan) => [plan.name, uplink(plan, place.targets, options)]),
    ),
    policy: {
      ...probe(options),
      ...(options.patience === undefined ? {} : { patience: options.patience }),
      ...recovery(options),
    },
    guards: guards(options),
    ...(options.fleet === undefined ? {} : { fleet: options.fleet }),
    ...(options.geodns === undefined ? {} : { geodns: options.geodns }),
    ...(options.webhooks === undefined ? {} : { webhooks: options.webhooks }),
    http: {
      listen: nodeListen,
      ...(options.tokenFile === undefined ? {} : { token_file: options.tokenFile }),
    },
    ...(options.edge === undefined ? {} : { edge: options.edge }),
    paths: { state: files.state, control: files.control, edge: files.edge },
  });
}

function probe({ probeInterval: interval, probeTimeout: timeout }: NodeOptions) {
  if (interval === undefined && timeout === undefined) return {};
  return {
    probe: { ...(interval === undefined ? {} : { interval }), ...(timeout === undefined ? {} : { timeout }) },
  };
}

/** `max_hold` equals `hold`, so that a lab that is broken again and again does not wait longer each time. */
function recovery(options: NodeOptions) {
  if (options.recovery === 'defaults') return {};
  const { clean, hold } = options.recovery ?? { clean: '3s', hold: '3s' };
  const canary = options.canary === true ? 'drain' : 'off';
  return { recovery: { clean, hold, max_hold: hold, canary } };
}

/** Budgets with room for a carrier that is broken again and again, but in scenarios about them. */
function guards(options: NodeOptions) {
  const given = {
    ...(options.together === undefined ? {} : { together: options.together }),
    ...(options.keepNodes === undefined ? {} : { keep_nodes: options.keepNodes }),
  };
  if (options.recovery === 'defaults' || options.flapBudget === 'cisco') return given;
  return { ...given, flap_budget: 'off', max_withdrawals: '30/15min' };
}

function readiness({ haproxySocket: socket }: NodeFiles, options: NodeOptions) {
  if (options.readiness === undefined) return {};
  const { intervalMillis, rise, fall } = readinessPace;
  const ready = { haproxy: { socket, backend: 'app' }, interval: `${intervalMillis}ms`, rise, fall };
  return { ready, alone: options.readiness.alone };
}

function uplink(plan: CarrierPlan, probed: readonly TargetPlan[], { sessionHold: hold }: NodeOptions) {
  return {
    carrier: plan.name,
    interface: plan.name,
    source: families.map((family) => plan.node[family]),
    peer: {
      asn: plan.asn,
      address: families.map((family) => plan.router[family]),
      ...(hold === undefined ? {} : { hold }),
    },
    table: 1000 + plan.index,
    local_pref: 400 - 100 * plan.index,
    targets: probed.map((one) => target(one)),
  };
}

function target({ name, region, address, tcp }: TargetPlan) {
  const ping = families.map((family) => address[family]);
  return tcp ? { name, region, ping, tcp: 443 } : { name, region, ping };
}
