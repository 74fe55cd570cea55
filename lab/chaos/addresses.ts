/** Addresses that GeoDNS answers with in the chaos lab: one for each node, carrier and family, told back to whose it is. */
import type { Family } from '../../src/types/units.ts';
import { carrierNames, fleetNodeNames, type CarrierName, type FleetNodeName } from '../network/names.ts';

/** 203.0.113.(10 × node + carrier), 2001:db8:a::N:C. */
export function answerAddress(node: FleetNodeName, carrier: CarrierName, family: Family): string {
  const [n, c] = [fleetNodeNames.indexOf(node) + 1, carrierNames.indexOf(carrier) + 1];
  return family === 4 ? `203.0.113.${10 * n + c}` : `2001:db8:a::${n}:${c}`;
}

/** null: nobody's. */
export function placeOfAddress(
  address: string,
): { readonly node: FleetNodeName; readonly carrier: CarrierName } | null {
  for (const node of fleetNodeNames)
    for (const carrier of carrierNames)
      if ([answerAddress(node, carrier, 4), answerAddress(node, carrier, 6)].includes(address))
        return { node, carrier };
  return null;
}
