/** Two nodes of the lab on loopback: their config, their users' database, and the state that the daemon would tell. */
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { EdgeSnapshot } from '../../src/types/wire/node-to-edge.ts';

export const carriers = ['cmi', 'pccw', 'hkbn'] as const;
export type Carrier = (typeof carriers)[number];
export const nodes = ['hk1', 'hk2'] as const;
export type NodeName = (typeof nodes)[number];

/** Users of the lab; addresses of RFC 2544's benchmark range, told by X-Forwarded-For since curl comes from loopback. */
export const rows = [
  { prefix: '198.18.0.0/24', asn: 4134, organisation: 'CHINANET' },
  { prefix: '198.18.2.0/24', asn: 9808, organisation: 'CMNET' },
  { prefix: '198.18.3.0/24', asn: 45102, organisation: 'A cloud' },
  { prefix: '2001:db8:3::/48', asn: 9808, organisation: 'CMNET' },
];
export const users = { telecom: '198.18.0.7', mobile: '198.18.2.7', cloud: '198.18.3.7' };

export interface Ports {
  readonly hk1: number;
  readonly hk2: number;
  readonly origin: number;
  readonly redis: number;
}

/** edge.yaml of one node. */
export function siteConfig(node: NodeName, dir: string, home: string, ports: Ports): string {
  return stringify({
    node,
    host: `${node}.edge.test`,
    networks: join(home, 'lab/networks.yaml'),
    geo: { asn: join(dir, 'asn.mmdb'), check: '1s' },
    paths: { run: join(dir, `${node}-run`), state: join(dir, `${node}-state.json`) },
    trusted: { proxies: ['127.0.0.1'], header: 'X-Forwarded-For' },
    redis: { address: { host: '127.0.0.1', port: ports.redis } },
    limits: {
      'per-client': {
        rate: '2/s',
        burst: 5,
        key: ['client'],
        classes: [{ networks: ['cm'], rate: '20/s', burst: 50 }],
      },
      tenant: { rate: '60/min', burst: 10, key: ['header:X-Api-Key'], scope: 'fleet' },
    },
    origins: { app: { servers: [{ address: '127.0.0.1', port: ports.origin }] } },
    servers: {
      www: {
        names: ['www.example.test'],
        listen: [`127.0.0.1:${ports[node]}`],
        locations: [
          { path: '/', origin: 'app', steer: true },
          { path: '/login/', origin: 'app', limits: ['per-client'] },
          { path: '/api/', origin: 'app', limits: ['tenant'] },
        ],
      },
    },
  });
}

/** Which carriers are up on which node. */
export type Ups = Readonly<Record<NodeName, Readonly<Record<Carrier, boolean>>>>;

export const allUp: Ups = {
  hk1: { cmi: true, pccw: true, hkbn: true },
  hk2: { cmi: true, pccw: true, hkbn: true },
};

/** The same with one uplink changed. */
export function withUplink(ups: Ups, node: NodeName, carrier: Carrier, up: boolean): Ups {
  return { ...ups, [node]: { ...ups[node], [carrier]: up } };
}

/** The snapshot for one node. The hosts carry ports here, since the lab's are not 80. */
export function snapshotFor(
  self: NodeName,
  ups: Ups,
  ports: Ports,
  order: { readonly epoch: number; readonly seq: number },
  at: string,
): EdgeSnapshot {
  const view = (node: NodeName): EdgeSnapshot['nodes'][string] => ({
    host: `${node}.edge.test:${ports[node]}`,
    accepting: true,
    weight: 100,
    uplinks: Object.fromEntries(
      carriers.map((carrier) => {
        const up = ups[node][carrier];
        return [carrier, { carrier, score: up ? 95 : 0, families: { '4': { up }, '6': { up } } }];
      }),
    ),
  });
  return {
    schema: 1,
    epoch: order.epoch,
    seq: order.seq,
    generatedAt: at,
    ttlMillis: 15_000,
    self,
    nodesActive: nodes.length,
    nodes: { hk1: view('hk1'), hk2: view('hk2') },
    origins: { app: [{ address: '127.0.0.1', port: ports.origin, up: true }] },
  };
}
