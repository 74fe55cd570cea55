/**
 * That each probe leaves by its uplink, seen on the interfaces' own counters: a few echo requests from the uplink's source
 * and device, as the prober sends them, between two readings of `ip -s link`.
 */
import { randomInt } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { openIcmpSocket } from '../../probes/socket/icmp-socket.ts';
import { socketAddress } from '../../probes/socket/address.ts';
import { inspectFooting } from '../../probes/socket/interface.ts';
import { SystemCallError } from '../../probes/socket/libc.ts';
import { type Check, type Finding, finding } from '../host/doctor.ts';
import { ipJson, type IpCommand, systemIp } from '../host/ip-command.ts';
import { sentPackets } from '../host/link-counters.ts';
import type { NodeConfig, Uplink } from '../types/config.ts';
import { families, type Family } from '../types/units.ts';

const count = 10;
const gapMillis = 10;
const patienceMillis = 1000;
const lookMillis = 10;
const bytes = 64;

/** One for each uplink and family. All uplinks of a family are asked at once, so that silent ones cost no more than one. */
export function probeChecks(config: NodeConfig, ip: IpCommand = systemIp): readonly Check<unknown>[] {
  return families.flatMap((family): readonly Check<unknown>[] => {
    const uplinks = config.uplinks.filter(({ source }) => source[family] !== undefined);
    let round: Promise<ReadonlyMap<string, Finding>> | null = null;
    return uplinks.map((uplink) => ({
      id: `probe.${uplink.name}${family}`,
      title: `probes of ${uplink.name}, IPv${family}`,
      run: async () => {
        round ??= probeRound(uplinks, family, ip);
        return (await round).get(uplink.name) ?? { kind: 'skipped', text: 'nothing is known of it' };
      },
    }));
  });
}

/** By uplink. Each sends to its own target between the same two readings of the counters. */
async function probeRound(
  uplinks: readonly Uplink[],
  family: Family,
  ip: IpCommand,
): Promise<ReadonlyMap<string, Finding>> {
  const before = sentPackets(await ipJson(ip, ['-s', 'link', 'show']));
  const sent = await Promise.all(uplinks.map((uplink) => probe(uplink, family)));
  const after = sentPackets(await ipJson(ip, ['-s', 'link', 'show']));
  const grown = (device: string): number => (after.get(device) ?? 0) - (before.get(device) ?? 0);
  return new Map(
    sent.map((one): readonly [string, Finding] => {
      if (one.kind === 'skipped') return [one.uplink.name, { kind: 'skipped', text: one.text }];
      const { uplink, address, taken, answered } = one;
      // What another one's interface has sent beyond its own probes may be ours.
      const other = sent.find(
        (each) =>
          each.uplink.interface !== uplink.interface &&
          grown(each.uplink.interface) >= count + (each.kind === 'sent' ? each.taken : 0),
      );
      const elsewhere = other?.uplink.interface ?? null;
      const own = grown(uplink.interface);
      return [uplink.name, judgeProbe({ uplink, address, own, elsewhere, taken, answered })];
    }),
  );
}

type Probed =
  | {
      readonly kind: 'sent';
      readonly uplink: Uplink;
      readonly address: string;
      readonly taken: number;
      readonly answered: number;
    }
  | { readonly kind: 'skipped'; readonly uplink: Uplink; readonly text: string };

async function probe(uplink: Uplink, family: Family): Promise<Probed> {
  const skipped = (text: string): Probed => ({ kind: 'skipped', uplink, text });
  const source = uplink.source[family] ?? '';
  const address = asked(uplink, family);
  if (address === null) return skipped('there is nothing to ping');
  const footing = inspectFooting(uplink.interface, family, source);
  if (footing.kind === 'unfit') return skipped(`${footing.why} (${footing.errno})`);
  const sent = await sendSome({ uplink, family, source, address, index: footing.index });
  if (typeof sent === 'string') return skipped(`the kernel refuses: ${sent}`);
  return { kind: 'sent', uplink, address, ...sent };
}

interface Seen {
  readonly uplink: Uplink;
  readonly address: string;
  /** What the uplink's interface counted meanwhile; other traffic of it is in there. */
  readonly own: number;
  /** Another uplink's interface that counted as many. */
  readonly elsewhere: string | null;
  readonly taken: number;
  readonly answered: number;
}

/** Other traffic can hide a probe that stays; it cannot make one. */
export function judgeProbe({ uplink, address, own, elsewhere, taken, answered }: Seen): Finding {
  const { name, interface: device } = uplink;
  const what = `${taken} probes to ${address}: ${device} sent ${own} packets`;
  if (own < taken && elsewhere !== null)
    return finding('probe-elsewhere', {
      what: `${what}, and ${elsewhere} sent them instead`,
      why: `what is measured is not ${name}: its verdicts would be those of another uplink`,
      mend: 'causeway routing | sh  # then: causeway routing --check',
    });
  if (own < taken)
    return finding('probe-stays', {
      what: `${what}: they never left`,
      why: `what looks like loss of ${name} is made on this machine: no neighbour answers, or a packet filter drops them`,
      mend: `ip neigh show dev ${device}; nft list ruleset  # FAILED: the gateway does not answer; a drop in output: let ICMP out`,
    });
  if (answered === 0)
    return finding('probe-unanswered', {
      what: `${what}, and nothing answered`,
      why: `if it stays so, ${name} is failed; it may be the carrier, the target, or a filter on the way back`,
      mend: `tcpdump -ni ${device} icmp or icmp6  # do answers come in? then rp_filter or a filter here; else ask the carrier`,
    });
  return { kind: 'ok', text: `${what}; ${answered} answered` };
}

/** A target that is pinged, else the gateway. */
function asked(uplink: Uplink, family: Family): string | null {
  const target = uplink.targets.find((one) => one.family === family && one.ping);
  return target?.address ?? uplink.gateway[family] ?? null;
}

interface Way {
  readonly uplink: Uplink;
  readonly family: Family;
  readonly source: string;
  readonly address: string;
  readonly index: number;
}

/** How many the kernel took and how many were answered; an errno where it took none. */
async function sendSome(way: Way): Promise<{ readonly taken: number; readonly answered: number } | string> {
  const { uplink, family, source, address, index } = way;
  const answered = new Set<number>();
  try {
    const socket = openIcmpSocket({
      family,
      interface: uplink.interface,
      source,
      index,
      identifier: randomInt(1, 65_536),
      unfragmented: false,
      onReply: ({ message }) => {
        if (message.length === bytes) answered.add(message.readUInt16BE(6));
      },
    });
    try {
      const destination = socketAddress(family, address, 1, index);
      let taken = 0;
      let refusal = '';
      for (let sequence = 1; sequence <= count; sequence += 1) {
        const errno = socket.send(echo(family, sequence), destination);
        if (errno === null) taken += 1;
        else refusal = errno;
        await setTimeout(gapMillis);
      }
      if (taken === 0) return refusal;
      for (let left = patienceMillis; left > 0 && answered.size < taken; left -= lookMillis) {
        await setTimeout(lookMillis);
        socket.drain();
      }
      return { taken, answered: answered.size };
    } finally {
      socket.close();
    }
  } catch (error) {
    if (error instanceof SystemCallError) return error.code;
    throw error;
  }
}

/** An echo request; identifier and checksum are the kernel's. RFC 792, RFC 4443. */
function echo(family: Family, sequence: number): Buffer {
  const message = Buffer.alloc(bytes, 0x43);
  message.fill(0, 0, 8);
  message[0] = family === 4 ? 8 : 128;
  message.writeUInt16BE(sequence, 6);
  return message;
}
