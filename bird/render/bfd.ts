/** BFD, where a session wants it. */
import type { Uplink } from '../../src/types/config.ts';
import { defaultSession } from '../../src/types/session-options.ts';
import { block, quoted } from './block.ts';

/** The protocol that runs it, or nothing where no session wants it. */
export function bfdProtocol(uplinks: readonly Uplink[]): readonly string[] {
  const wanting = uplinks.filter((uplink) => uplink.peer.bfd);
  if (wanting.length === 0) return [];
  const interfaces = wanting
    .filter((uplink) => uplink.peer.multihop === null)
    .map((uplink) => quoted(uplink.interface, `uplinks.${uplink.name}.interface`));
  // 3 x 1 s: faster timers flap on virtual machines that stall. A session with another pace says so itself.
  const timers = '{ interval 1 s; multiplier 3; }';
  return block('protocol bfd causeway_bfd', [
    ...(interfaces.length === 0 ? [] : [`interface ${interfaces.join(', ')} ${timers};`]),
    `multihop ${timers};`,
  ]);
}

/** What stands in the session. */
export function bfdLine(uplink: Uplink): readonly string[] {
  const { bfd, session } = uplink.peer;
  if (!bfd) return [];
  const path = `uplinks.${uplink.name}.peer`;
  const { bfdIntervalMillis, bfdMultiplier } = session;
  const usual =
    bfdIntervalMillis === defaultSession.bfdIntervalMillis && bfdMultiplier === defaultSession.bfdMultiplier;
  return usual
    ? [`bfd on;  # ${path}.bfd`]
    : [
        `bfd { interval ${bfdIntervalMillis} ms; multiplier ${bfdMultiplier}; };  # ${path}.bfd_interval, ${path}.bfd_multiplier`,
      ];
}
