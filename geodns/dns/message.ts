/** As much of DNS messages (RFC 1035) and client subnets (RFC 7871) as asking an authoritative server needs. */
import { formatAddress, fromBytes, type Subnet, toBytes } from '../address.ts';

export const typeCodes = { A: 1, NS: 2, SOA: 6, TXT: 16, AAAA: 28 } as const;
export type QueryType = keyof typeof typeCodes;

const optCode = 41;
const ecsCode = 8;

export interface Question {
  readonly id: number;
  readonly name: string;
  readonly type: QueryType;
  /** null: no client subnet in the question. */
  readonly subnet: Subnet | null;
}

export interface ResourceRecord {
  readonly name: string;
  readonly type: number;
  readonly ttlSeconds: number;
  /** Addresses and texts as text, SOA as its serial; null for types that are not read. */
  readonly data: string | null;
}

export interface Reply {
  readonly id: number;
  readonly rcode: number;
  readonly truncated: boolean;
  readonly answers: readonly ResourceRecord[];
  readonly ecs: { readonly sourceLength: number; readonly scopeLength: number } | null;
}

export class DnsMessageError extends Error {
  override readonly name = 'DnsMessageError';
}

export function encodeQuestion({ id, name, type, subnet }: Question): Buffer {
  const header = Buffer.alloc(12);
  header.writeUInt16BE(id, 0);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(1, 10);
  const tail = Buffer.alloc(4);
  tail.writeUInt16BE(typeCodes[type], 0);
  tail.writeUInt16BE(1, 2);
  const option = subnet === null ? Buffer.alloc(0) : encodeSubnet(subnet);
  const opt = Buffer.alloc(11);
  opt.writeUInt16BE(optCode, 1);
  opt.writeUInt16BE(4096, 3);
  opt.writeUInt16BE(option.length, 9);
  return Buffer.concat([header, encodeName(name), tail, opt, option]);
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').filter((label) => label !== '');
  return Buffer.concat([
    ...labels.map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')])),
    Buffer.from([0]),
  ]);
}

/** RFC 7871 6: the address is cut to as many bytes as the source length needs. */
function encodeSubnet(subnet: Subnet): Buffer {
  const bytes = toBytes(subnet).subarray(0, Math.ceil(subnet.length / 8));
  const head = Buffer.alloc(8);
  head.writeUInt16BE(ecsCode, 0);
  head.writeUInt16BE(4 + bytes.length, 2);
  head.writeUInt16BE(subnet.family === 4 ? 1 : 2, 4);
  head.writeUInt8(subnet.length, 6);
  return Buffer.concat([head, bytes]);
}

/** Throws a DnsMessageError for anything cut short or malformed, never a half reply. */
export function decodeReply(message: Buffer): Reply {
  try {
    return decode(message);
  } catch (error) {
    if (error instanceof RangeError)
      throw new DnsMessageError('the DNS reply is cut short', { cause: error });
    throw error;
  }
}

function decode(message: Buffer): Reply {
  const flags = message.readUInt16BE(2);
  if ((flags & 0x8000) === 0) throw new DnsMessageError('the message is no reply');
  let at = 12;
  for (let count = message.readUInt16BE(4); count > 0; count -= 1) at = readName(message, at).next + 4;
  const answers: ResourceRecord[] = [];
  let ecs: Reply['ecs'] = null;
  const counts = [message.readUInt16BE(6), message.readUInt16BE(8), message.readUInt16BE(10)];
  for (const [section, count] of counts.entries()) {
    for (let index = 0; index < count; index += 1) {
      const { name, next } = readName(message, at);
      const type = message.readUInt16BE(next);
      const start = next + 10;
      const length = message.readUInt16BE(next + 8);
      if (start + length > message.length) throw new DnsMessageError('the DNS reply is cut short');
      if (section === 0)
        answers.push({
          name,
          type,
          ttlSeconds: message.readUInt32BE(next + 4),
          data: readData(message, type, start, length),
        });
      if (type === optCode) ecs = readEcs(message.subarray(start, start + length)) ?? ecs;
      at = start + length;
    }
  }
  return { id: message.readUInt16BE(0), rcode: flags & 15, truncated: (flags & 0x0200) !== 0, answers, ecs };
}

function readName(message: Buffer, start: number): { readonly name: string; readonly next: number } {
  const labels: string[] = [];
  let at = start;
  let next: number | null = null;
  for (let hops = 0; hops < 128; hops += 1) {
    const length = message.readUInt8(at);
    if (length === 0) return { name: `${labels.join('.')}.`, next: next ?? at + 1 };
    if ((length & 0xc0) === 0xc0) {
      next ??= at + 2;
      at = message.readUInt16BE(at) & 0x3fff;
    } else {
      labels.push(message.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
  }
  throw new DnsMessageError('a name in the DNS reply does not end');
}

function readData(message: Buffer, type: number, start: number, length: number): string | null {
  const data = message.subarray(start, start + length);
  if (type === typeCodes.A && length === 4) return formatAddress(fromBytes(data));
  if (type === typeCodes.AAAA && length === 16) return formatAddress(fromBytes(data));
  if (type === typeCodes.TXT) return readTexts(data);
  if (type === typeCodes.SOA) {
    const owner = readName(message, readName(message, start).next).next;
    return String(message.readUInt32BE(owner));
  }
  return null;
}

function readTexts(data: Buffer): string {
  const parts: string[] = [];
  for (let at = 0; at < data.length; at += 1 + data.readUInt8(at))
    parts.push(data.toString('latin1', at + 1, at + 1 + data.readUInt8(at)));
  return parts.join('');
}

function readEcs(options: Buffer): Reply['ecs'] {
  for (let at = 0; at + 4 <= options.length; at += 4 + options.readUInt16BE(at + 2)) {
    if (options.readUInt16BE(at) === ecsCode)
      return { sourceLength: options.readUInt8(at + 6), scopeLength: options.readUInt8(at + 7) };
  }
  return null;
}
