/**
 * Where a fault lies, in words, from what else is measured: interface, gateway, the carrier near us, one of its equal
 * paths, a region, a target. It explains a verdict and never makes one.
 *
 *     gateway does not answer                        between us and the gateway
 *     gateway answers, some flows all dead, some     one of several equal paths of the carrier
 *       all well, fresh TCP ports now and then
 *     gateway answers, every target is bad           in the carrier, near us
 *     gateway answers, the bad targets are regions   on the way to these regions
 *     a target that is bad on every uplink           the target itself
 */
import type { Policy } from '../../types/policy.ts';
import { unreachable } from '../../types/unreachable.ts';
import type { Group, RecentKinds, Subject } from './memory.ts';
import { testLooksBad } from './pool-test.ts';
import { isBlamed } from './relative.ts';

/** What follows the figures of a decision about loss; empty where nothing more is known. */
export function attributionText(group: Group, policy: Policy, subject: Subject): string {
  switch (subject.who.kind) {
    case 'uplink':
      return `${gatewayText(group)}${placeOfFault(group, policy)}`;
    case 'target':
      return isBlamed(group, subject, 'loss') ? ', on every uplink: the target itself' : '';
    case 'region':
      return isHalfDead(group, subject) ? `: ${halfDeadText}` : '';
    case 'gateway':
      return '';
    default:
      return unreachable(subject.who);
  }
}

const halfDeadText = 'one of several equal paths seems dead';
/** Counted probes that make a share of them worth looking at, and the shares that are all and none of them. */
const enough = 3;
const allLost = 0.9;
const noneLost = 0.1;
/** Shares of fresh flows that one of a few equal paths takes. */
const someLost = { least: 0.15, most: 0.85 };

function gatewayText({ gateway }: Group): string {
  if (gateway === null || gateway.observedFrom === null) return '';
  return gatewayIsLost(gateway) ? ', gateway is lost too' : ', gateway answers';
}

function gatewayIsLost(gateway: Subject): boolean {
  return gateway.loss.bad || testLooksBad(gateway.loss);
}

function placeOfFault(group: Group, policy: Policy): string {
  const { gateway, uplinkSubject } = group;
  if (isHalfDead(group, uplinkSubject)) return `: ${halfDeadText}`;
  if (gateway === null || gateway.observedFrom === null) return '';
  if (gatewayIsLost(gateway)) return ': the fault lies between us and the gateway';
  const bad = uplinkSubject.streams.filter((stream) => isBad(group, policy, stream));
  if (bad.length === uplinkSubject.streams.length) return ': the fault lies in the carrier, near us';
  const regions = group.regions.filter(({ subject }) =>
    subject.streams.every((stream) => bad.includes(stream)),
  );
  const inRegions = regions.flatMap(({ subject }) => subject.streams);
  if (regions.length === 0 || inRegions.length !== bad.length) return '';
  return `: the fault lies on the way to ${regions.map(({ name }) => name).join(', ')}`;
}

function isBad({ recent }: Group, policy: Policy, stream: number): boolean {
  const lost = recent.lost[stream] ?? 0;
  return lost > policy.loss.bad * (lost + (recent.answered[stream] ?? 0));
}

/**
 * An echo's flow is its target's, so it is all lost or none of it; a handshake has a fresh source port, so that part of
 * them is lost whatever the target. Routers that hash by port (most) show a dead one of their equal paths like this.
 */
function isHalfDead({ streams }: Group, subject: Subject): boolean {
  const own = subject.streams.flatMap((stream) => streams[stream]?.recentKinds ?? []);
  const echoes = own.map(({ icmp }) => lossOf(icmp)).filter((loss) => loss !== null);
  const shakes = lossOf(sum(own.map(({ tcp }) => tcp)));
  if (shakes === null || shakes < someLost.least || shakes > someLost.most) return false;
  return echoes.length > 0 && echoes.every((loss) => loss >= allLost || loss <= noneLost);
}

type Counts = RecentKinds['icmp'];

function sum(all: readonly Counts[]): Counts {
  return all.reduce(
    (total, { answered, lost }) => ({ answered: total.answered + answered, lost: total.lost + lost }),
    { answered: 0, lost: 0 },
  );
}

function lossOf({ answered, lost }: Counts): number | null {
  return answered + lost < enough ? null : lost / (answered + lost);
}
