/** Faults of the link itself, which may take the session down: admin down at either end, the interface gone. */
import { carrierPlan } from '../network/addresses.ts';
import { ipBatch, tryRun } from '../network/command.ts';
import { carrierNames, type CarrierName } from '../network/names.ts';
import type { Network } from '../network/network.ts';
import { carrierUplinkLines, nodeUplinkLines, uplinkLine } from '../network/topology.ts';
import type { Fault } from './fault.ts';

/** The carrier's end goes down: the node's interface loses its carrier, but stays up with its addresses. */
export function linkDownAtCarrier(carrier: CarrierName): Fault {
  return {
    title: `link of ${carrier} down at the carrier's end`,
    apply: (network) => setLink(network, carrier, 'carrier', 'down'),
    mend: (network) => mendLink(network, carrier),
  };
}

/** The node's end goes down, and its IPv6 addresses with it, as on any Linux host. */
export function linkDownAtNode(carrier: CarrierName): Fault {
  return {
    title: `link of ${carrier} down at the node`,
    apply: (network) => setLink(network, carrier, 'node', 'down'),
    mend: (network) => mendLink(network, carrier),
  };
}

/** The interface is deleted; mending makes it anew, with another index and the same addresses. */
export function interfaceDeleted(carrier: CarrierName): Fault {
  return {
    title: `interface ${carrier} deleted`,
    async apply(network) {
      await ipBatch(network.namespace('node'), [`link del ${carrier}`]);
    },
    mend: (network) => mendLink(network, carrier),
  };
}

export async function mendLinks(network: Network): Promise<void> {
  await Promise.all(carrierNames.map((carrier) => mendLink(network, carrier)));
}

/** Brings a link back, whatever happened to it: made when it is gone, up at both ends, all addresses there. */
async function mendLink(network: Network, carrier: CarrierName): Promise<void> {
  const plan = carrierPlan(carrier);
  const node = network.namespace('node');
  if ((await tryRun('ip', ['-n', node, 'link', 'show', carrier])).exitCode !== 0) {
    await ipBatch(null, [uplinkLine(network.id, plan)]);
  }
  await Promise.all([
    ipBatch(network.namespace(carrier), carrierUplinkLines(plan).map(asReplace)),
    ipBatch(node, nodeUplinkLines(plan).map(asReplace)),
  ]);
}

function asReplace(line: string): string {
  return line.replace(/^addr add/, 'addr replace');
}

async function setLink(
  network: Network,
  carrier: CarrierName,
  end: 'node' | 'carrier',
  state: 'up' | 'down',
): Promise<void> {
  if (end === 'node') await ipBatch(network.namespace('node'), [`link set ${carrier} ${state}`]);
  else await ipBatch(network.namespace(carrier), [`link set node ${state}`]);
}
