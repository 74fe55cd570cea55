/** Faults that drop packets, as nftables tables of their own: made in one transaction, gone with `delete table`. */
import type { Network } from '../network/network.ts';
import type { Room } from '../network/names.ts';
import type { Family } from '../../src/types/units.ts';
import {
  describeWhere,
  directionsOf,
  familiesOf,
  farPrefixes,
  linksOf,
  slugOf,
  type Fault,
  type Where,
} from './fault.ts';

/** Begins the names of all tables that faults make, so that `mend` finds every one. */
export const tablePrefix = 'cwfault_';

/** Nothing passes beyond the carrier's router; the router itself answers, and the session lives. */
export function blackHole(where: Where): Fault {
  return forwardFault(`black hole behind ${describeWhere(where)}`, slugOf(where, 'hole'), where, 'drop');
}

/** Random loss in percent, with a resolution of 0.1 %. */
export function loss(where: Where, percent: number): Fault {
  const verdict = `numgen random mod 1000 < ${Math.round(percent * 10)} drop`;
  return forwardFault(
    `${percent} % loss behind ${describeWhere(where)}`,
    slugOf(where, 'loss'),
    where,
    verdict,
  );
}

/** Loss in bursts: of each `every` packets in a direction the first `length` in a row are dropped. */
export function burstLoss(where: Where, length: number, every: number): Fault {
  const title = `bursts of ${length} in ${every} packets lost behind ${describeWhere(where)}`;
  return forwardFault(title, slugOf(where, 'burst'), where, `numgen inc mod ${every} < ${length} drop`);
}

/** One of the carrier's two equal paths swallows everything in both directions; the other works. */
export function pathDead(where: Pick<Where, 'carrier'>, leg: 0 | 1): Fault {
  const rules = [`iifname "net${leg}" drop`, `oifname "net${leg}" drop`];
  return tableFault(
    `path ${leg} of ${where.carrier} dead`,
    where.carrier,
    slugOf(where, `path${leg}`),
    'forward',
    rules,
  );
}

/** A target answers nothing any more, by whichever carrier it is asked. */
export function targetDead(addresses: Readonly<Partial<Record<Family, string>>>): Fault {
  const rules = addressRules(addresses, (match) => [`${match} drop`]);
  return tableFault(`target ${Object.values(addresses).join(' and ')} dead`, 'net', 'target', 'input', rules);
}

/** These targets answer nothing any more, by whichever carrier they are asked. */
export function targetsDead(dead: readonly Readonly<Record<Family, string>>[]): Fault {
  const rules = dead.flatMap((addresses) => addressRules(addresses, (match) => [`${match} drop`]));
  return tableFault(`${dead.length} targets dead`, 'net', 'targets', 'input', rules);
}

/** A target answers only some echo requests a second, all carriers together; TCP is not limited. */
export function targetRateLimited(
  addresses: Readonly<Partial<Record<Family, string>>>,
  perSecond: number,
): Fault {
  const rules = addressRules(addresses, (match, family) => {
    const type = family === 4 ? 'icmp type echo-request' : 'icmpv6 type echo-request';
    return [`${match} ${type} limit rate over ${perSecond}/second burst 1 packets drop`];
  });
  const title = `target ${Object.values(addresses).join(' and ')} limits ICMP to ${perSecond}/s`;
  return tableFault(title, 'net', 'limit', 'input', rules);
}

/** Nothing leaves or reaches the node but on its loopback: no DNS, no way out, no session traffic. */
export function isolation(): Fault {
  return tableFault('the node cut off from everything', 'node', 'isolation', 'input', [
    'iifname != "lo" drop',
  ]);
}

/** Takes away every packet filter fault in all rooms. */
export async function mendPacketFilters(network: Network): Promise<void> {
  await Promise.all(
    (['cmi', 'pccw', 'hkbn', 'net', 'node'] as const).map(async (room) => {
      const listed = await network.run(room, ['nft', 'list', 'tables']);
      const names = [...listed.matchAll(/table inet (\w+)/g)].map((match) => match[1] ?? '');
      const ours = names.filter((name) => name.startsWith(tablePrefix));
      if (ours.length > 0)
        await nft(
          network,
          room,
          ours.map((name) => `delete table inet ${name}`),
        );
    }),
  );
}

function forwardFault(title: string, slug: string, where: Where, verdict: string): Fault {
  return tableFault(title, where.carrier, slug, 'forward', forwardRules(where, verdict));
}

/** What the carrier forwards from or to its interfaces towards the nodes is the uplinks' traffic. */
function forwardRules(where: Where, verdict: string): readonly string[] {
  return directionsOf(where).flatMap((direction) =>
    familiesOf(where).map((family) => {
      const word = direction === 'out' ? 'iifname' : 'oifname';
      const interfaceMatch = `${word} { ${linksOf(where)
        .map((link) => `"${link}"`)
        .join(', ')} }`;
      const protocol = family === 4 ? 'ip' : 'ip6';
      const far = farPrefixes(where, family);
      const side = direction === 'out' ? 'daddr' : 'saddr';
      const addressMatch =
        far.length === 0 ? `meta nfproto ipv${family}` : `${protocol} ${side} { ${far.join(', ')} }`;
      return `${interfaceMatch} ${addressMatch} ${verdict}`;
    }),
  );
}

function addressRules(
  addresses: Readonly<Partial<Record<Family, string>>>,
  rules: (match: string, family: Family) => readonly string[],
): readonly string[] {
  return ([4, 6] as const).flatMap((family) => {
    const address = addresses[family];
    return address === undefined ? [] : rules(`${family === 4 ? 'ip' : 'ip6'} daddr ${address}`, family);
  });
}

function tableFault(
  title: string,
  room: Room,
  slug: string,
  hook: 'forward' | 'input',
  rules: readonly string[],
): Fault {
  const table = `${tablePrefix}${slug}`;
  const clear = [`add table inet ${table}`, `delete table inet ${table}`];
  return {
    title,
    async apply(network) {
      await nft(network, room, [
        ...clear,
        `add table inet ${table}`,
        `add chain inet ${table} ${hook} { type filter hook ${hook} priority 0; }`,
        ...rules.map((rule) => `add rule inet ${table} ${hook} ${rule}`),
      ]);
    },
    async mend(network) {
      await nft(network, room, clear);
    },
  };
}

async function nft(network: Network, room: Room, lines: readonly string[]): Promise<void> {
  await network.run(room, ['nft', '-f', '-'], `${lines.join('\n')}\n`);
}
