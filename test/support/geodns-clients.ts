/** Random users for comparing DNS answers with the oracle: every way in which a resolver can speak of them. */
import ipaddr from 'ipaddr.js';
import { parseSubnet, type Subnet } from '../../geodns/address.ts';
import { places } from '../../lab/geodns/world.ts';

export interface TestClient {
  readonly name: string;
  readonly type: 'A' | 'AAAA';
  readonly transport: 'udp' | 'tcp';
  readonly subnet: Subnet | null;
  /** Address that the question comes from. */
  readonly resolver: string;
  /** The address that counts: of the client subnet, or the resolver's. */
  readonly client: string;
}

/** mulberry32: the same seed, the same clients. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const resolvers = ['127.210.1.7', '127.210.2.7', '127.210.3.7', '127.210.4.7', '127.210.5.7', '127.0.0.1'];
const names = ['www', 'img', 'deep.v', '@', 'api'];
const lengths4 = [8, 16, 20, 22, 24, 24, 24, 25, 28, 32];
const lengths6 = [16, 32, 48, 56, 56, 64, 128];
const odd = [
  '203.0.9.0/24',
  '203.1.40.0/24',
  '203.1.44.0/24',

  '10.1.2.0/24',
  '192.168.0.0/16',
  '127.0.0.0/8',
  'fd00::/56',
  'fe80::/64',
  '100.64.0.0/24',
  '198.51.100.128/25',
];

export function randomClient(random: () => number): TestClient {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] ?? (list[0] as T);
  const label = pick(names);
  const resolver = pick(resolvers);
  const common = {
    name: label === '@' ? 'geo.test.' : `${label}.geo.test.`,
    type: random() < 0.7 ? ('A' as const) : ('AAAA' as const),
    transport: random() < 0.15 ? ('tcp' as const) : ('udp' as const),
    resolver,
  };
  const kind = random();
  if (kind < 0.1) return { ...common, subnet: null, client: resolver };
  const text =
    kind < 0.15 ? pick(['0.0.0.0/0', '::/0']) : kind < 0.2 ? pick(odd) : randomSubnet(random, pick);
  const subnet = parseSubnet(text) ?? null;
  const client = text.endsWith('/0') ? resolver : (text.split('/')[0] ?? resolver);
  const isMapped = kind > 0.96 && subnet?.family === 4 && subnet.length > 0;
  return { ...common, subnet: isMapped ? mapped(subnet) : subnet, client };
}

/** `::ffff:a.b.c.d/96+n`: how an IPv4 user looks behind a resolver that knows IPv6 alone. */
function mapped(subnet: Subnet): Subnet {
  return { family: 6, value: (0xffffn << 32n) | subnet.value, length: 96 + subnet.length };
}

function randomSubnet(random: () => number, pick: <T>(list: readonly T[]) => T): string {
  const place = pick(places);
  const prefix = random() < 0.3 && place.v6 !== null ? place.v6 : place.v4;
  const anywhere = random() < 0.1;
  const [base = '', fixed = '0'] = prefix.split('/');
  const bytes = ipaddr.parse(base).toByteArray();
  const kept = anywhere ? 0 : Number(fixed);
  const mixed = bytes.map((byte, index) => {
    const mask = maskOf(kept - index * 8);
    return (byte & mask) | (Math.floor(random() * 256) & ~mask & 255);
  });
  const usual = pick(mixed.length === 4 ? lengths4 : lengths6);
  const length = random() < 0.8 ? usual : 1 + Math.floor(random() * mixed.length * 8);
  const cut = mixed.map((byte, index) => byte & maskOf(length - index * 8));
  return `${ipaddr.fromByteArray(cut).toString()}/${length}`;
}

function maskOf(bits: number): number {
  return bits >= 8 ? 255 : bits <= 0 ? 0 : (255 << (8 - bits)) & 255;
}

/** `@`, `*.v` and the like: the label under which rules know the name. */
export function labelOf(name: string): string {
  if (name === 'geo.test.') return '@';
  const label = name.replace('.geo.test.', '');
  return label.endsWith('.v') ? '*.v' : label;
}
