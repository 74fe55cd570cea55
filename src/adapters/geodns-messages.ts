/** What is told, as messages of the wire (DESIGN §9), and what a heartbeat's answer says of each uplink. Pure. */
import type { Letter } from '../store/outbox.ts';
import type { ToldUplink } from '../types/told.ts';
import type { Order } from '../types/wire/common.ts';
import type { NodeStateMessage, UplinkStateMessage } from '../types/wire/node-to-geodns.ts';

export interface SentUplink {
  readonly letter: Letter;
  readonly value: ToldUplink;
}

type UplinkBody = NodeStateMessage['uplinks'][string];

/** `PUT /v1/nodes/:node/uplinks/:uplink`; `at` is ISO 8601. */
export function uplinkMessage(told: ToldUplink, { epoch, seq }: Order, at: string): UplinkStateMessage {
  return { schema: 1, ...bodyOf(told), epoch, seq, at };
}

/** `PUT /v1/nodes/:node/state`: all of them under the highest order that was given. */
export function heartbeatMessage(
  node: string,
  sent: ReadonlyMap<string, SentUplink>,
  { epoch, seq }: Order,
  at: string,
  frozen = false,
): NodeStateMessage {
  const uplinks = Object.fromEntries([...sent].map(([key, { value }]) => [key, bodyOf(value)]));
  return { schema: 1, node, uplinks, ...(frozen ? { frozen } : {}), epoch, seq, at };
}

function bodyOf({ carrier, families, held, reason, evidence }: ToldUplink): UplinkBody {
  const { 4: v4, 6: v6 } = families;
  return {
    carrier,
    families: { ...(v4 === undefined ? {} : { '4': v4 }), ...(v6 === undefined ? {} : { '6': v6 }) },
    held,
    reason,
    ...(evidence === null ? {} : { evidence }),
  };
}

/** `hk1/cmi` → accepted, replay, stale, unknown-target … */
export function targetsIn(text: string): ReadonlyMap<string, string> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return new Map();
  }
  const targets = typeof value === 'object' && value !== null && 'targets' in value ? value.targets : null;
  if (typeof targets !== 'object' || targets === null) return new Map();
  return new Map(Object.entries(targets).map(([target, word]) => [target, String(word)]));
}
