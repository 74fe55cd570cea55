/** A whole config for tests, with the uplinks that are named and service web. */
import type { NodeConfig } from '../../src/types/config.ts';
import { asn, millis } from '../../src/types/units.ts';
import { guards, policy, uplinkNamed, web } from './world.ts';

export function nodeWith(uplinks: readonly string[]): NodeConfig {
  return {
    mode: 'live',
    node: { name: 'hk1', site: 'hkg', asn: asn(65001), routerId: '10.255.0.1' },
    bird: {
      socket: '/run/bird/bird.ctl',
      command: null,
      adopt: new Map(),
      config: '/etc/bird/causeway/causeway.conf',
      layout: 'whole',
      rpki: null,
    },
    services: [web],
    uplinks: uplinks.map((name) => uplinkNamed(name)),
    policy,
    probeEngine: 'icmp-socket',
    guards,
    onStop: { do: 'keep', deadlineMillis: millis(60_000) },
    onBoot: 'as-left',
    maintenance: [],
    fleet: null,
    geodns: null,
    webhooks: [],
    http: { host: '127.0.0.1', port: 9180, tokenFile: null },
    edge: null,
    paths: {
      state: '/var/lib/causeway',
      control: '/run/causeway/control.sock',
      edge: { file: '/run/causeway/edge.json', socket: '/run/causeway-edge/admin.sock' },
    },
    record: null,
    shadow: null,
  };
}
