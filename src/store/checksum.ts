/** CRC-32 (IEEE 802.3, the one of zlib), since node:zlib's own is missing in Node 20.19's first releases. */
const table = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value >>> 0;
});

/** Eight lower-case hex digits over the UTF-8 bytes of `text`. */
export function checksum(text: string): string {
  return checksumOf(Buffer.from(text, 'utf8')).toString(16).padStart(8, '0');
}

/** The number from 0 to 2^32 − 1. */
export function checksumOf(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = (value >>> 8) ^ (table[(value ^ byte) & 255] ?? 0);
  return (value ^ 0xffffffff) >>> 0;
}
