/**
 * Sessions that still have the operator's names (`bird.adopt`), seen under Causeway's. Nothing is written: this is how a node
 * is observed before `causeway migrate`. Pure.
 */
import type { BirdSeen, ProtocolSeen } from '../src/types/bird-view.ts';
import { uplinkKey } from '../src/types/keys.ts';
import { sessionName } from '../src/types/protocol-names.ts';
import { families, type Family } from '../src/types/units.ts';

/** A session of the operator, and whose it is to be. */
export interface Adopted {
  readonly uplink: string;
  readonly family: Family;
  /** Its name in BIRD now. */
  readonly name: string;
}

/** By uplinkKey (`cmi4`): name of the operator's session. */
export type AdoptNames = ReadonlyMap<string, string>;

/** The adopted sessions of these uplinks that have no session of Causeway's own name yet; of any view of BIRD. */
export function adoptedIn(
  seen: BirdSeen,
  adopt: AdoptNames,
  uplinks: readonly { readonly name: string }[],
): readonly Adopted[] {
  return uplinks.flatMap((uplink) =>
    families.flatMap((family): readonly Adopted[] => {
      const name = adopt.get(uplinkKey(uplink.name, family));
      // In the view that `withAdopted` gives, the operator's session stands under our name with its own.
      const ours = seen.protocols.get(sessionName(uplink.name, family));
      if (name === undefined || (ours !== undefined && ours.name !== name)) return [];
      return [{ uplink: uplink.name, family, name }];
    }),
  );
}

/**
 * The view with each adopted session under the name that Causeway gives it; its `name` stays the operator's. One that BIRD
 * does not have, or that is no BGP session, is not there under either name.
 */
export function withAdopted(seen: BirdSeen, adopted: readonly Adopted[]): BirdSeen {
  if (adopted.length === 0) return seen;
  const protocols = new Map<string, ProtocolSeen>(seen.protocols);
  for (const { uplink, family, name } of adopted) {
    const shown = seen.protocols.get(name);
    if (shown?.proto === 'BGP') protocols.set(sessionName(uplink, family), shown);
  }
  return { ...seen, protocols };
}

/** Whether a protocol of Causeway's names belongs to a session that is still adopted, so that BIRD need not have it yet. */
export function belongsToAdopted(protocol: string, adopted: readonly Adopted[]): boolean {
  return adopted.some(({ uplink, family }) =>
    new RegExp(`^((bgp|learn)_${uplink}|(announce|drain)_${uplink}_[a-z0-9]+)${family}$`).test(protocol),
  );
}
