/**
 * The guard on capacity: traffic is not shifted onto uplinks that would pass what they carry (uplinks.*.capacity).
 * Where the figures of those concerned are not known, it holds nothing.
 *
 *   a drain that the others have no room for       stays announced
 *   a failed uplink that still carries most         is drained at once instead of withdrawn
 *   one that is dead, or loses half or more         leaves at once: it carries nothing worth keeping
 */
import type { AnnouncementWish } from '../../types/wish.ts';
import { drawsMore } from './attraction.ts';
import { heldWish } from './desire.ts';
import type { Rung } from './leaving.ts';
import { isFailed, isSurelyDead, type Member, stateInForce, worstFirst } from './member.ts';

/** Loss from which on an uplink is no help to the others. */
const hopelessLoss = 0.5;

/** `traffic`: bits per second by uplink, in the fuller direction. */
export function guardCapacity(group: readonly Rung[], traffic: ReadonlyMap<string, number>): readonly Rung[] {
  const moving = group.filter((rung) => wantsLess(rung)).map((rung) => rung.member);
  const room = roomOf(group, moving, traffic);
  if (moving.length === 0 || room === null) return group;
  let left = room;
  const held = new Set<Member>();
  for (const member of worstFirst(moving)) {
    const load = traffic.get(member.uplink.name) ?? 0;
    if (load > left && !isHopeless(member)) held.add(member);
    else left -= load;
  }
  return group.map((rung) => (held.has(rung.member) ? { ...rung, wish: heldBack(rung, left) } : rung));
}

/** By its link verdict; what an override's end or a window takes away is no verdict. */
function wantsLess({ member, wish }: Rung): boolean {
  const isBad = isFailed(member) || member.verdict.health === 'degraded';
  const isFree = member.override === null && wish.held === null;
  return isBad && isFree && drawsMore(stateInForce(member), wish.state);
}

/** What those that stay could take over; null: not known, or nothing stays. */
function roomOf(
  group: readonly Rung[],
  moving: readonly Member[],
  traffic: ReadonlyMap<string, number>,
): number | null {
  const staying = group
    .filter(({ member, wish }) => wish.state === 'announce' && !moving.includes(member))
    .map(({ member }) => member)
    .filter((member) => member.session !== 'down' && !isFailed(member));
  const rooms = staying.map(({ uplink }) => {
    const load = traffic.get(uplink.name);
    return uplink.capacityBits === null || load === undefined ? null : uplink.capacityBits - load;
  });
  if (rooms.length === 0) return null;
  return rooms.reduce((sum, one) => (sum === null || one === null ? null : sum + Math.max(0, one)), 0);
}

function isHopeless(member: Member): boolean {
  return isSurelyDead(member) || (isFailed(member) && (member.verdict.evidence.loss ?? 1) >= hopelessLoss);
}

function heldBack({ member, wish }: Rung, left: number): AnnouncementWish {
  const state = wish.state === 'withdraw' ? 'drain' : member.standing.state;
  const text = `the others have room for ${(left / 1e6).toFixed(0)} Mbit/s, less than it carries`;
  return heldWish(member, state, 'capacity', text, null);
}
