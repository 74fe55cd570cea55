/** The text of `causeway routing` in all its forms; `UPDATE_GOLDEN=1` writes the files anew. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Service, ServiceUplink } from '../../src/types/config.ts';
import { planText } from '../../src/cli/routing-output.ts';
import { nodeConfig, uplink } from '../unit/host-node.ts';
import { service } from './node-configs.ts';

const four = { 4: '192.0.2.14' };
const as = { med: null, prepend: null, communities: null, drainCommunities: null } as const;
const best = service('web', '203.0.113.0/24');
const bySource: Service = {
  ...service('dns', '198.51.100.0/24', '2001:db8:53::/48'),
  egress: 'by-source',
  uplinks: new Map<string, ServiceUplink>([
    ['hkbn', { ...as, state: 'backup' }],
    ['cmi', { ...as, state: 'announce' }],
  ]),
};
const config = nodeConfig(
  [
    uplink('cmi', 1),
    uplink('pccw', 2, { interface: 'eth2.100', gateway: { 4: '192.0.2.9', 6: 'fe80::1' } }),
    uplink('hkbn', 3, { source: four, gateway: { 4: '192.0.2.13' } }),
  ],
  { services: [best, bySource] },
);

test.each([
  { name: 'rules.sh', options: { format: 'ip', withRoutes: false, json: false } },
  { name: 'rules-and-routes.sh', options: { format: 'ip', withRoutes: true, json: false } },
  { name: 'networkd.txt', options: { format: 'networkd', withRoutes: true, json: false } },
  { name: 'plan.json', options: { format: 'ip', withRoutes: true, json: true } },
] as const)('routing prints $name as it did before', ({ name, options }) => {
  const file = join(import.meta.dirname, 'routing', name);
  const text = planText(config, options);
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, text);
  expect(text).toBe(readFileSync(file, 'utf8'));
});
