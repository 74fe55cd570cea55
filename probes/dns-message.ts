/** The DNS messages of a probe: one question out (RFC 1035 section 4), and of the answer what tells whose it is. */
import type { DnsAsk } from '../src/types/outcome.ts';

const typeNumbers: Readonly<Record<DnsAsk['type'], number>> = { A: 1, NS: 2, SOA: 6, TXT: 16, AAAA: 28 };
const classInternet = 1;
const headerBytes = 12;
const recursionDesired = 0x0100;
const responseBit = 0x8000;
const rcodeNames = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'];

/** A question with recursion desired. `id`: 16 bits. */
export function encodeQuestion(id: number, { name, type }: DnsAsk): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt16BE(id, 0);
  header.writeUInt16BE(recursionDesired, 2);
  header.writeUInt16BE(1, 4);
  const labels = name.replace(/\.$/, '').split('.').filter(Boolean);
  const encoded = labels.flatMap((label) => {
    const bytes = Buffer.from(label, 'latin1');
    return [Buffer.from([bytes.length]), bytes];
  });
  const tail = Buffer.alloc(5);
  tail.writeUInt16BE(typeNumbers[type], 1);
  tail.writeUInt16BE(classInternet, 3);
  return Buffer.concat([header, ...encoded, tail]);
}

/** An answer to that question by id and repeated question (names in any case, RFC 4343); null: it is another's. */
export function rcodeOf(answer: Buffer, question: Buffer): string | null {
  if (answer.length < question.length || answer.readUInt16BE(0) !== question.readUInt16BE(0)) return null;
  if ((answer.readUInt16BE(2) & responseBit) === 0 || answer.readUInt16BE(4) !== 1) return null;
  const asked = question.subarray(headerBytes).toString('latin1').toLowerCase();
  if (answer.subarray(headerBytes, question.length).toString('latin1').toLowerCase() !== asked) return null;
  const rcode = answer.readUInt16BE(2) & 0xf;
  return rcodeNames[rcode] ?? `RCODE${rcode}`;
}
