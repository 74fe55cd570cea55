/** The table of changes: what is edited on the node, and on the carrier where both ends have to agree. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Network } from '../../../lab/network/network.ts';
import { changeCarrier, type NodeDocument, uplinkIn } from './apply-lab.ts';

export interface Change {
  readonly name: string;
  /** Sessions that the change resets, adds or removes; empty: none. */
  readonly sessions: readonly string[];
  /** At the carrier, before anything is said; then all sessions are up again. */
  readonly first?: (network: Network) => Promise<void>;
  readonly edit: (document: NodeDocument, network: Network) => void;
  /** At the carrier, between the prediction and the apply. */
  readonly carrier?: (network: Network) => Promise<void>;
}

const secret = 'kq7Zr2-lab';
const otherRouter = '2001:db8:ff01::9';

/** In this order: each begins where the one before ended. */
export const changes: readonly Change[] = [
  { name: 'MED', sessions: [], edit: (document) => void (uplinkIn(document, 'cmi')['med'] = 50) },
  { name: 'prepend', sessions: [], edit: (document) => void (uplinkIn(document, 'pccw')['prepend'] = 2) },
  {
    name: 'community',
    sessions: [],
    edit: (document) => void (uplinkIn(document, 'cmi')['communities'] = ['58453:100']),
  },
  {
    name: 'LocalPref',
    sessions: [],
    edit: (document) => void (uplinkIn(document, 'cmi')['local_pref'] = 350),
  },
  {
    name: 'prefix added',
    sessions: [],
    edit: (document) => void document.services['web']?.prefixes.push('198.18.240.0/24', '2001:db8:b::/48'),
  },
  {
    name: 'prefix removed',
    sessions: [],
    edit: (document) => void document.services['web']?.prefixes.splice(2, 1),
  },
  {
    name: 'description',
    sessions: [],
    edit: (document) => void (uplinkIn(document, 'pccw')['carrier'] = 'pccw-hk'),
  },
  {
    name: 'hold time',
    sessions: ['bgp_pccw4 reset', 'bgp_pccw6 reset'],
    edit: (document) => void (uplinkIn(document, 'pccw').peer['hold'] = '60s'),
  },
  {
    name: 'password',
    sessions: ['bgp_hkbn4 reset', 'bgp_hkbn6 reset'],
    edit: (document, network) => {
      const file = join(network.folder, 'hkbn.key');
      writeFileSync(file, `${secret}\n`, { mode: 0o600 });
      uplinkIn(document, 'hkbn').peer['password_file'] = file;
    },
    carrier: (network) =>
      changeCarrier(network, 'hkbn', (text) =>
        text.replaceAll(
          '  debug { states, routes };',
          `  password "${secret}";\n  debug { states, routes };`,
        ),
      ),
  },
  {
    name: 'neighbour',
    sessions: ['bgp_cmi6 reset'],
    edit: (document) => {
      const { peer } = uplinkIn(document, 'cmi');
      peer.address = peer.address.map((one) => (one.includes(':') ? otherRouter : one));
      uplinkIn(document, 'cmi')['gateway'] = ['198.18.1.1', '2001:db8:ff01::1'];
    },
    async carrier(network) {
      await network.run('cmi', ['ip', 'address', 'add', `${otherRouter}/64`, 'dev', 'node', 'nodad']);
      await changeCarrier(network, 'cmi', (text) =>
        text.replace('local 2001:db8:ff01::1 as', `local ${otherRouter} as`),
      );
    },
  },
  {
    name: 'uplink removed',
    sessions: ['bgp_pccw4 removed', 'bgp_pccw6 removed'],
    edit(document) {
      kept.set('pccw', uplinkIn(document, 'pccw'));
      delete document.uplinks['pccw'];
    },
  },
  {
    name: 'uplink added',
    sessions: ['bgp_pccw4 added', 'bgp_pccw6 added'],
    edit(document) {
      const uplink = kept.get('pccw');
      if (uplink !== undefined) document.uplinks['pccw'] = uplink;
    },
  },
  {
    name: 'LocalPref where the carrier has no route refresh',
    sessions: ['bgp_hkbn4 reset', 'bgp_hkbn6 reset'],
    first: (network) =>
      changeCarrier(network, 'hkbn', (text) =>
        text.replaceAll(
          '  debug { states, routes };',
          '  enable route refresh off;\n  debug { states, routes };',
        ),
      ),
    edit: (document) => void (uplinkIn(document, 'hkbn')['local_pref'] = 150),
  },
  {
    // Our own prefixes are not learnt, so the import policy changes with them.
    name: 'prefix added where the carrier has no route refresh',
    sessions: ['bgp_hkbn4 reset'],
    edit: (document) => void document.services['web']?.prefixes.push('198.18.241.0/24'),
  },
];

/** What was removed, to be added again. */
const kept = new Map<string, NodeDocument['uplinks'][string]>();

export function changesNamed(names: readonly string[]): readonly Change[] {
  return changes.filter(({ name }) => names.includes(name));
}
