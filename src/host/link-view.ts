/** The value of `ip -j addr` as links with their addresses. */
import { isRecord } from '../types/is-record.ts';
import type { Link, LinkView } from '../types/link-view.ts';
import { IpError } from './ip-command.ts';

/** The value of `ip -j addr show` or `ip -j link show`. Throws IpError where it is not of that shape. */
export function parseLinks(value: unknown): LinkView {
  if (!Array.isArray(value)) throw new IpError('bad-output', 'ip addr printed no list');
  const links = new Map<string, Link>();
  for (const entry of value) {
    // `ip -4 addr` leaves an empty object for each link that has no such address.
    if (!isRecord(entry) || Object.keys(entry).length === 0) continue;
    const { ifname, ifindex, flags } = entry;
    if (typeof ifname !== 'string' || typeof ifindex !== 'number' || !Array.isArray(flags))
      throw new IpError('bad-output', 'ip addr printed a link without name, index or flags');
    links.set(ifname, { ifindex, up: isUp(flags), addresses: boundable(entry['addr_info']) });
  }
  return { links };
}

/** Same links, indices, states and addresses, in whatever order. */
export function sameLinks(a: LinkView, b: LinkView): boolean {
  if (a.links.size !== b.links.size) return false;
  for (const [name, left] of a.links) {
    const right = b.links.get(name);
    if (right === undefined || left.ifindex !== right.ifindex || left.up !== right.up) return false;
    if (left.addresses.length !== right.addresses.length) return false;
    if (!left.addresses.every((address) => right.addresses.includes(address))) return false;
  }
  return true;
}

/** UP: the operator's word; LOWER_UP: there is carrier; NO-CARRIER: the driver says there is none. */
function isUp(flags: readonly unknown[]): boolean {
  return flags.includes('UP') && flags.includes('LOWER_UP') && !flags.includes('NO-CARRIER');
}

/** bind() refuses a tentative or duplicated address, so it is not there yet. */
function boundable(info: unknown): readonly string[] {
  if (!Array.isArray(info)) return [];
  return info.flatMap((entry: unknown) => {
    if (!isRecord(entry) || typeof entry['local'] !== 'string') return [];
    return entry['tentative'] === true || entry['dadfailed'] === true ? [] : [entry['local']];
  });
}
