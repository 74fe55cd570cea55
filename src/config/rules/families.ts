/** Families of an uplink: what is announced needs a session, a source and targets; nothing is half there. */
import { families, type Family } from '../../types/units.ts';
import type { PlacedAddress } from '../fields.ts';
import type { ConfigPath } from '../leaf.ts';
import type { Finding } from '../problem.ts';
import type { UplinkView, View } from '../view.ts';

/** Fewer cannot tell a dead target from a failed uplink. */
const fewestTargets = 3;

/** Problems of the families of each uplink. */
export function checkFamilies(view: View): readonly Finding[] {
  const announced = families.filter((family) => view.prefixes.some(({ prefix }) => prefix.family === family));
  return view.uplinks.flatMap((uplink) =>
    families.flatMap((family) =>
      checkFamily(uplink, family, announced.includes(family), view.policy.tie_families === true),
    ),
  );
}

function checkFamily(
  uplink: UplinkView,
  family: Family,
  announced: boolean,
  tied: boolean,
): readonly Finding[] {
  return [
    ...checkSession(uplink, family, announced),
    ...checkTargetCount(uplink, family, announced, tied),
    ...checkGateway(uplink, family),
    ...checkLinkLocal(uplink, family),
  ];
}

function checkSession(
  { self, peer, path }: UplinkView,
  family: Family,
  announced: boolean,
): readonly Finding[] {
  if (self.source === undefined || peer.address === undefined) return [];
  const [source, address] = [self.source[family], peer.address[family]];
  const none = `no IPv${family} address`;
  const sourcePath = [...path, 'source'];
  const peerPath = [...path, 'peer', 'address'];
  if (source !== undefined && address !== undefined) return [];
  if (source === undefined && address === undefined && !announced) return [];
  const because = announced
    ? `an IPv${family} address, since a service announces IPv${family} prefixes`
    : `an IPv${family} address, or neither here nor in ${source === undefined ? 'peer.address' : 'source'}`;
  const missing = (at: ConfigPath): Finding => ({ path: at, where: 'value', found: none, allowed: because });
  return [
    ...(source === undefined ? [missing(sourcePath)] : []),
    ...(address === undefined ? [missing(peerPath)] : []),
  ];
}

/** With tie_families the verdict of the other family is enough. */
function checkTargetCount(
  uplink: UplinkView,
  family: Family,
  announced: boolean,
  tied: boolean,
): readonly Finding[] {
  const { self, path, targets, targetsComplete } = uplink;
  const countOf = (one: Family): number =>
    targets.filter((target) => target.rows.some((row) => row.family === one)).length;
  const count = countOf(family);
  const borrowed = tied && countOf(family === 4 ? 6 : 4) >= fewestTargets;
  if (announced && targetsComplete && count < fewestTargets && !borrowed)
    return [
      {
        path: [...path, 'targets'],
        where: 'key',
        found: `${count} with IPv${family}`,
        allowed: `${fewestTargets} or more with IPv${family}, since a service announces IPv${family} prefixes and fewer give no verdict`,
      },
    ];
  if (self.source === undefined || self.source[family] !== undefined) return [];
  return targets
    .filter((target) => !announced && target.rows.some((row) => row.family === family))
    .map((target) => ({
      path: target.path,
      where: 'value',
      found: `an IPv${family} target`,
      allowed: `only families that the uplink has a source for: give it an IPv${family} source and peer, or take the address out`,
    }));
}

function checkGateway({ self, peer, path }: UplinkView, family: Family): readonly Finding[] {
  const gateway = self.gateway?.[family];
  if (peer.address === undefined) return [];
  const address = peer.address[family];
  if (gateway !== undefined && address === undefined)
    return [
      {
        path: placed([...path, 'gateway'], gateway),
        where: 'value',
        allowed: `a gateway only in a family with a session: peer.address has no IPv${family} address`,
      },
    ];
  if (gateway !== undefined || address === undefined || peer.multihop === undefined) return [];
  return [
    {
      path: [...path, 'gateway'],
      where: 'value',
      found: `no IPv${family} address`,
      allowed: `an IPv${family} address: with peer.multihop the peer is not the next hop`,
    },
  ];
}

function checkLinkLocal({ self, peer, path }: UplinkView, family: Family): readonly Finding[] {
  const findings: Finding[] = [];
  const [source, address] = [self.source?.[family], peer.address?.[family]];
  if (source?.linkLocal === true)
    findings.push({
      path: placed([...path, 'source'], source),
      where: 'value',
      allowed: 'an address that targets can answer to: a link-local one ends at the carrier',
    });
  if (address?.linkLocal === true && peer.multihop !== undefined)
    findings.push({
      path: placed([...path, 'peer', 'address'], address),
      where: 'value',
      allowed: 'an address beyond the link, or no peer.multihop: a link-local peer is directly connected',
    });
  return findings;
}

/** The path of an address that may stand in a list. */
export function placed(path: ConfigPath, address: PlacedAddress): ConfigPath {
  return address.index === null ? path : [...path, address.index];
}
