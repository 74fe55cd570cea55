/** Uplinks beside each other: interfaces, tables and peers of their own, and sources that only this node has. */
import { families } from '../../types/units.ts';
import { contains, spanOfAddress } from '../addresses.ts';
import type { ConfigPath } from '../leaf.ts';
import { formatPath, type Finding } from '../problem.ts';
import type { UplinkView, View } from '../view.ts';
import { placed } from './families.ts';
import { checkTables } from './tables.ts';

/** Problems of uplinks beside each other and against the node. */
export function checkUplinks(view: View): readonly Finding[] {
  const { uplinks } = view;
  return [
    ...checkTables(view),
    ...checkDistinct(uplinks.flatMap((uplink) => interfaceOf(uplink))),
    ...checkDistinct(uplinks.flatMap((uplink) => peersOf(uplink))),
    ...checkDistinct(uplinks.flatMap((uplink) => sourcesOf(uplink))),
    ...uplinks.flatMap((uplink) => checkPeerIsOther(uplink, uplinks)),
    ...uplinks.flatMap((uplink) => checkAsn(uplink, view)),
    ...uplinks.flatMap((uplink) => checkOwnSource(uplink, view)),
  ];
}

interface Claim {
  readonly path: ConfigPath;
  readonly value: string;
  readonly what: string;
}

function checkDistinct(claims: readonly Claim[]): readonly Finding[] {
  const taken = new Map<string, Claim>();
  return claims.flatMap((claim): readonly Finding[] => {
    const first = taken.get(claim.value);
    taken.set(claim.value, first ?? claim);
    if (first === undefined) return [];
    const allowed = `${claim.what} of its own for each uplink: ${formatPath(first.path)} is the same`;
    return [{ path: claim.path, where: 'value', allowed }];
  });
}

function interfaceOf({ path, self }: UplinkView): readonly Claim[] {
  return self.interface === undefined
    ? []
    : [{ path: [...path, 'interface'], value: self.interface, what: 'an interface' }];
}

/** A link-local peer is another machine on another interface, so these may be the same. */
function peersOf({ path, peer }: UplinkView): readonly Claim[] {
  return families.flatMap((family): readonly Claim[] => {
    const address = peer.address?.[family];
    if (address === undefined || address.linkLocal) return [];
    return [{ path: placed([...path, 'peer', 'address'], address), value: address.text, what: 'a peer' }];
  });
}

function sourcesOf({ path, self }: UplinkView): readonly Claim[] {
  return families.flatMap((family): readonly Claim[] => {
    const source = self.source?.[family];
    if (source === undefined) return [];
    return [{ path: placed([...path, 'source'], source), value: source.text, what: 'a source' }];
  });
}

/** A peer that is one of this node's own addresses. */
function checkPeerIsOther({ path, peer }: UplinkView, uplinks: readonly UplinkView[]): readonly Finding[] {
  const sources = uplinks.flatMap((uplink) => sourcesOf(uplink));
  return families.flatMap((family): readonly Finding[] => {
    const address = peer.address?.[family];
    const own = sources.find(({ value }) => value === address?.text);
    if (address === undefined || own === undefined) return [];
    const allowed = `an address that no uplink has as its source: ${formatPath(own.path)} is the same`;
    return [{ path: placed([...path, 'peer', 'address'], address), where: 'value', allowed }];
  });
}

function checkAsn({ path, peer }: UplinkView, { node }: View): readonly Finding[] {
  if (peer.asn === undefined || peer.asn !== node.asn) return [];
  const allowed = "the carrier's AS number: this is node.asn, and an uplink is an eBGP session";
  return [{ path: [...path, 'peer', 'asn'], where: 'value', allowed }];
}

/** Answers to an anycast source may arrive at another node, where nobody waits for them. */
function checkOwnSource({ path, self }: UplinkView, { prefixes }: View): readonly Finding[] {
  return families.flatMap((family): readonly Finding[] => {
    const source = self.source?.[family];
    const span = source === undefined ? null : spanOfAddress(source.text);
    const own = prefixes.find(({ prefix }) => span !== null && contains(prefix, span));
    if (source === undefined || own === undefined) return [];
    const allowed = `an address of this node alone: it lies in the anycast prefix ${own.prefix.text}, so answers may go to another node`;
    return [{ path: placed([...path, 'source'], source), where: 'value', allowed }];
  });
}
