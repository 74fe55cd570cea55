/** `address`: whether an address is on an interface of this machine, loopback included. */
import type { LinkView } from '../../types/link-view.ts';
import type { ReadyOutcome } from '../../types/ready-outcome.ts';
import { readLinks } from '../links.ts';
import { errorText } from './trouble.ts';

/** Checks of one moment share a reading. */
const freshMillis = 100;

export type AddressCheck = (address: string) => Promise<ReadyOutcome>;

/** `read`: the machine's links with the addresses that can be bound. */
export function openAddressCheck(read: () => Promise<LinkView> = readLinks): AddressCheck {
  let latest: { readonly at: number; readonly view: Promise<LinkView> } | null = null;
  return async (address) => {
    const now = performance.now();
    if (latest === null || now - latest.at > freshMillis) latest = { at: now, view: read() };
    try {
      return judge(await latest.view, address);
    } catch (error) {
      return { kind: 'not-run', text: `addresses cannot be read: ${errorText(error)}` };
    }
  };
}

function judge({ links }: LinkView, address: string): ReadyOutcome {
  for (const [name, link] of links)
    if (link.addresses.includes(address)) return { kind: 'pass', text: `${address} is on ${name}` };
  return { kind: 'fail', text: `${address} is on no interface` };
}
