/** The config of the contract, with every key that it names. */
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/read.ts';

const contract = `
mode: observe
node: { name: hk1, site: hkg, asn: 65001, router_id: 10.255.0.1 }
bird:
  socket: /run/bird/bird.ctl
  config: /etc/bird/causeway/causeway.conf
  layout: include
  adopt: {}
services:
  web:
    prefixes: [203.0.113.0/24, "2001:db8:a::/48"]
    ready: { http: "http://127.0.0.1:8080/healthz", interval: 1s, rise: 2, fall: 3 }
    uplinks: {}
    egress: best
    alone: drain
uplinks:
  cmi:
    carrier: cmi
    interface: eth1
    source: [223.118.10.2, "2001:db8:58::2"]
    peer: { asn: 58453, address: [223.118.10.1, "2001:db8:58::1"], password_file: /etc/causeway/cmi.key, multihop: 2, bfd: false }
    gateway: [223.118.10.1, "2001:db8:58::1"]
    table: 1001
    local_pref: 300
    med: 100
    prepend: 0
    import: default
    targets: &targets
      - { name: jkt-1, region: ID, ping: [198.51.100.10, "2001:db8:62::10"], tcp: 443 }
      - { name: jkt-2, region: ID, ping: 198.51.100.11 }
      - { name: mnl-1, region: PH, tcp: "198.51.100.20:443" }
      - { name: jkt-6, region: ID, ping: "2001:db8:62::11" }
      - { name: jkt-7, region: ID, ping: "2001:db8:62::12" }
      - { name: mnl-2, region: PH, ping: 198.51.100.21 }
  pccw: { carrier: pccw, interface: eth2, source: [63.218.20.2, "2001:db8:34::2"], peer: { asn: 3491, address: [63.218.20.1, "2001:db8:34::1"] }, targets: *targets }
  hkbn: { carrier: hkbn, interface: eth3, source: [59.148.30.2, "2001:db8:92::2"], peer: { asn: 9269, address: [59.148.30.1, "2001:db8:92::1"] }, targets: *targets }
policy:
  probe: { engine: icmp-socket, interval: 200ms, timeout: 1s }
  loss: { good: 0.5%, bad: 5% }
  latency: { bad: 300ms }
  patience: 5s
  false_alarms: 1/10y
  regions: { share: 50%, weights: {} }
  recovery:
    clean: 60s
    hold: 60s
    max_hold: 1h
    canary: drain
  drain: { med: 65000, prepend: 3, gshut: true }
  tie_families: false
guards:
  keep_uplinks: 1
  keep_nodes: 1
  together: 15s
  max_withdrawals: 3/15min
  flap_budget: cisco
on_stop: keep
on_boot: as-left
maintenance: [ { uplink: hkbn, cron: "0 3 * * 2", timezone: Asia/Hong_Kong, duration: 2h, state: drain, reason: "carrier window" } ]
fleet: { redis: "redis://10.0.0.5:6379/0" }
geodns: { url: "https://dns-api.example", token_file: /etc/causeway/geodns.token }
webhooks: []
edge: { host: hk1.edge.example.com, weight: 100, origins: { app: [ { address: 192.0.2.10, port: 443, via: [cmi, pccw] } ] } }
http:
  listen: "127.0.0.1:9180"
  token_file: /etc/causeway/http.token
paths:
  state: /var/lib/causeway
  control: /run/causeway/control.sock
  edge: { file: /run/causeway/edge.json, socket: /run/causeway-edge/admin.sock }
`;

test("the contract's config loads whole", () => {
  const result = readConfig('causeway.yaml', contract);
  expect(result).toMatchObject({ kind: 'ok', warnings: [] });
  if (result.kind === 'bad') return;
  const [cmi] = result.config.uplinks;
  expect(cmi).toMatchObject({ localPref: 300, peer: { multihop: 2, passwordFile: '/etc/causeway/cmi.key' } });
  expect(cmi?.targets.map(({ name, family, ping, tcpPort }) => [name, family, ping, tcpPort])).toEqual([
    ['jkt-1', 4, true, 443],
    ['jkt-1', 6, true, 443],
    ['jkt-2', 4, true, null],
    ['mnl-1', 4, false, 443],
    ['jkt-6', 6, true, null],
    ['jkt-7', 6, true, null],
    ['mnl-2', 4, true, null],
  ]);
});
