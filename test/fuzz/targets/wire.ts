/** What comes over the network: DNS replies, echo replies, values of Redis. */
import { decodeReply, DnsMessageError } from '../../../geodns/dns/message.ts';
import { encodeQuestion, rcodeOf } from '../../../probes/dns-message.ts';
import { echoOf } from '../../../probes/icmp-lane.ts';
import { hashIn, masterIn, textIn, wordsIn } from '../../../src/adapters/redis-replies.ts';
import { RedisError } from '../../../src/adapters/redis.ts';
import { correlate } from '../../../src/core/fleet/correlation.ts';
import { hearBeats, hearPresence, heardPresences } from '../../../src/core/fleet/hear.ts';
import { instant } from '../../../src/types/units.ts';
import { fleetOrder } from '../../../src/types/wire/fleet-order.ts';
import { presence } from '../../../src/types/wire/node-to-fleet.ts';
import type { FuzzTarget } from '../target.ts';

const question = encodeQuestion(7, { name: 'www.geo.test', type: 'A' });

/** The question with its answer bit, an address, and an OPT record with a client subnet. */
function dnsReply(): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8580, 2);
  head.writeUInt16BE(1, 6);
  head.writeUInt16BE(1, 10);
  const answer = Buffer.from('c00c000100010000001e0004cb00710b', 'hex');
  const opt = Buffer.from('000029020000000000000b00080007000118180a0000', 'hex');
  return Buffer.concat([head, answer, opt]);
}

export const dnsTarget: FuzzTarget = {
  name: 'dns',
  summary: 'DNS replies, to probes and to GeoDNS',
  seeds: () => [
    dnsReply(),
    Buffer.from(question),
    Buffer.from(`${dnsReply().toString('hex')}c00cc00c`, 'hex'),
  ],
  check(input) {
    const rcode = rcodeOf(input, question);
    if (rcode !== null && input.readUInt16BE(0) !== 7) return 'the reply to another question was taken';
    try {
      decodeReply(input);
    } catch (error) {
      if (!(error instanceof DnsMessageError)) throw error;
    }
    return null;
  },
};

const nonce = { high: 0xdeadbeef, low: 0x01020304 };
const waiting = new Map([[513, { nonce }]]);

function echoReply(family: 4 | 6): Buffer {
  const message = Buffer.alloc(64, 0x43);
  message.fill(0, 0, 8);
  message[0] = family === 4 ? 0 : 129;
  message.writeUInt16BE(513, 6);
  message.writeUInt32BE(nonce.high, 8);
  message.writeUInt32BE(nonce.low, 12);
  return message;
}

export const icmpTarget: FuzzTarget = {
  name: 'icmp',
  summary: 'ICMP and ICMPv6 packets on an echo socket',
  seeds: () => [echoReply(4), echoReply(6)],
  check(input) {
    for (const family of [4, 6] as const) {
      if (echoOf(input, family, waiting) === null) continue;
      const whole = echoReply(family);
      const same = [0, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15].every((at) => input[at] === whole[at]);
      if (!same) return 'a reply was taken that does not repeat type, sequence and nonce';
    }
    return null;
  },
};

const goodPresence = {
  schema: 1,
  node: 'hk1',
  site: 'hkg',
  epoch: 1,
  seq: 2,
  ageMillis: 10,
  mode: 'live',
  frozen: false,
  announcements: [
    {
      service: 'web',
      uplink: 'cmi',
      carrier: 'cmi',
      family: 4,
      wish: 'announce',
      seen: 'exported',
      ready: true,
      health: 'healthy',
      held: null,
      reason: 'healthy',
    },
  ],
  targets: [{ address: '198.51.100.10', uplink: 'cmi', carrier: 'cmi', family: 4, health: 'healthy' }],
  failedRegions: [{ region: 'ID', uplink: 'cmi', carrier: 'cmi', family: 4 }],
};

export const redisTarget: FuzzTarget = {
  name: 'redis',
  summary: 'values and replies of Redis: presences, orders, hashes, INFO',
  seeds: () => [
    Buffer.from(JSON.stringify(goodPresence)),
    Buffer.from(JSON.stringify(['given', '1', null])),
    Buffer.from(JSON.stringify({ hk1: '1 2 3 4', hk2: '5 6 7 8' })),
    Buffer.from('role:master\r\nrun_id:a\r\nmaster_replid:b\r\nloading:0\r\n'),
    Buffer.from(
      JSON.stringify({
        schema: 1,
        kind: 'freeze',
        node: 'hk1',
        author: 'kim',
        at: '2026-11-30T01:00:00Z',
        freeze: null,
      }),
    ),
  ],
  check(input) {
    const text = input.toString('utf8');
    refusable(() => masterIn(text));
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return null;
    }
    refusable(() => textIn(value));
    refusable(() => hashIn(value));
    refusable(() => wordsIn(value));
    fleetOrder.safeParse(value);
    const parsed = presence.safeParse(value);
    if (!parsed.success) return null;
    const now = instant(1000);
    const { node, epoch, seq } = parsed.data;
    const beat = { node, epoch, seq, content: 0, ageMillis: 0 };
    const rules = { node: 'own', expireMillis: 3000 };
    const nodes = hearPresence(hearBeats(new Map(), [beat], rules, now), parsed.data);
    const presences = heardPresences(nodes, rules.expireMillis, now);
    correlate([...presences, parsed.data]);
    return null;
  },
};

function refusable(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof RedisError)) throw error;
  }
}
