/**
 * DESIGN §7.12: a planned drain, of an operator or a window, is told to GeoDNS first, and BGP follows when the answers
 * of before have run out at the resolvers, or at the deadline, told or not. Nothing else ever waits for DNS: an uplink
 * that fails or is slow, a session that is down, a hand in BIRD and every withdrawal go through at once.
 *
 *   announced ──drain wished──▶ held: dns-first ──acknowledged + ttl, or since + deadline──▶ drained
 */
import type { DnsFirst } from '../../types/told.ts';
import { announcementKey } from '../../types/keys.ts';
import { after, type Instant } from '../../types/units.ts';
import type { AnnouncementWish } from '../../types/wish.ts';
import type { Member } from './member.ts';

/** `since`: by announcementKey, when a planned drain that still waits was first wished. */
export function drainAfterDns(
  member: Member,
  wish: AnnouncementWish,
  dns: DnsFirst | null | undefined,
  since: Readonly<Record<string, Instant>>,
  now: Instant,
): AnnouncementWish {
  if (dns === null || dns === undefined || !isPlanned(member, wish)) return wish;
  const key = announcementKey(wish.uplink, wish.service, wish.family);
  const end = endOf(dns, since[key] ?? now, dns.toldAt.get(key));
  if (now >= end.at) return wish;
  const text = `${end.text}; ${wish.text}`;
  return {
    ...wish,
    state: 'announce',
    reason: 'dns-first',
    text,
    held: { guard: 'dns-first', text, until: end.at },
  };
}

function isPlanned({ wished, standing, verdict, session }: Member, wish: AnnouncementWish): boolean {
  const isWord = wish.reason === 'maintenance' || (wish.reason === 'override' && wish.author !== 'birdc');
  const isBad = verdict.health === 'failed' || verdict.health === 'degraded' || session === 'down';
  return wish.state === 'drain' && isWord && !isBad && (wished?.state ?? standing.state) === 'announce';
}

function endOf(
  { ttlMillis, deadlineMillis }: DnsFirst,
  since: Instant,
  toldAt: Instant | undefined,
): { readonly at: Instant; readonly text: string } {
  const deadline = after(since, deadlineMillis);
  const expired = toldAt === undefined ? deadline : after(toldAt, ttlMillis);
  if (expired >= deadline) {
    const text = toldAt === undefined ? 'GeoDNS is told first' : 'GeoDNS knows, BGP follows at the deadline';
    return { at: deadline, text };
  }
  return { at: expired, text: 'GeoDNS knows, BGP follows when its answers have run out' };
}

/** The waiting ones of now, for the next tick. */
export function waitingSince(
  wishes: readonly AnnouncementWish[],
  before: Readonly<Record<string, Instant>>,
  now: Instant,
): Readonly<Record<string, Instant>> {
  const waiting = wishes.filter(({ held }) => held?.guard === 'dns-first');
  return Object.fromEntries(
    waiting.map(({ uplink, service, family }) => {
      const key = announcementKey(uplink, service, family);
      return [key, before[key] ?? now] as const;
    }),
  );
}
