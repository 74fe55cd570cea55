/** Values in the data section of an MMDB (MaxMind DB file format 2.0, "Data Field Format"). */

/** What a record can hold here; numbers are unsigned integers. */
export type MmdbValue =
  | string
  | number
  | boolean
  | readonly MmdbValue[]
  | { readonly [key: string]: MmdbValue };

/** Type numbers of the format; those above 7 take a second byte. */
const types = { string: 2, uint16: 5, uint32: 6, map: 7, uint64: 9, array: 11, boolean: 14 } as const;

/** `wide` forces the type of a number, since metadata fields have fixed ones. */
export function encodeValue(value: MmdbValue, wide?: 'uint16' | 'uint64'): Buffer {
  if (typeof value === 'string') {
    const text = Buffer.from(value, 'utf8');
    return Buffer.concat([control(types.string, text.length), text]);
  }
  if (typeof value === 'boolean') return control(types.boolean, value ? 1 : 0);
  if (typeof value === 'number') return encodeInteger(value, wide ?? 'uint32');
  if (isList(value))
    return Buffer.concat([control(types.array, value.length), ...value.map((item) => encodeValue(item))]);
  const entries = Object.entries(value);
  return Buffer.concat([
    control(types.map, entries.length),
    ...entries.flatMap(([key, item]) => [encodeValue(key), encodeValue(item)]),
  ]);
}

function isList(value: MmdbValue): value is readonly MmdbValue[] {
  return Array.isArray(value);
}

function encodeInteger(value: number, type: 'uint16' | 'uint32' | 'uint64'): Buffer {
  const most = { uint16: 0xffff, uint32: 0xffffffff, uint64: Number.MAX_SAFE_INTEGER }[type];
  if (!Number.isInteger(value) || value < 0 || value > most) throw new RangeError(`not a ${type}: ${value}`);
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.concat([control(types[type], bytes.length), Buffer.from(bytes)]);
}

/** The control byte (or bytes): type in three bits or a byte of its own, then the size. */
function control(type: number, size: number): Buffer {
  const extended = type > 7;
  const first = extended ? 0 : type << 5;
  const middle = extended ? [type - 7] : [];
  if (size < 29) return Buffer.from([first | size, ...middle]);
  if (size < 29 + 256) return Buffer.from([first | 29, ...middle, size - 29]);
  if (size < 285 + 65536) return Buffer.from([first | 30, ...middle, (size - 285) >> 8, (size - 285) & 255]);
  throw new RangeError(`a value of ${size} bytes or items is more than this writer takes`);
}
