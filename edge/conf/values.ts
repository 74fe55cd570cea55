/**
 * Values of the edge's config. Each accepts exactly what may later stand in an nginx file, a header or a key: nothing that
 * could end a directive, a string or a line gets past these.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

/** Names of servers, limits, origins and nodes. */
export const itemName = z
  .string()
  .regex(
    /^[a-z][a-z0-9-]{0,30}$/,
    'a name is a small letter, then small letters, digits and dashes, 31 at most',
  );

const labels = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
/** A host name in lower case, without a port. */
export const hostName = z
  .string()
  .max(253)
  .regex(new RegExp(`^${labels}(\\.${labels})*$`), 'a host name in lower case, such as www.example.com');

/** An absolute path of a file or directory. */
export const filePath = z
  .string()
  .max(200)
  .regex(/^\/[A-Za-z0-9._/+@-]*$/, 'an absolute path of letters, digits and . _ - + @ /')
  .refine((path) => !path.split('/').includes('..'), 'the path may not contain ..');

/** Prefix of a location: what nginx compares a normalised URI with. */
export const locationPath = z
  .string()
  .max(200)
  .regex(/^\/[A-Za-z0-9._~/-]*$/, 'a path that starts with / and has letters, digits and . _ ~ - / only');

/** Name of a header or cookie. */
export const tokenName = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,40}$/, 'letters, digits, - and _');

/** Name of a master, as in `sentinel monitor NAME`. */
export const masterName = z
  .string()
  .regex(/^[A-Za-z0-9._-]{1,60}$/, 'the name of a master: letters, digits and . _ -');

/** Name of an uplink in causeway.yaml. */
export const uplinkName = z
  .string()
  .regex(/^[a-z][a-z0-9]{0,14}$/, 'the name of an uplink: a small letter, then small letters and digits');

const allowed = {
  duration: 'a length of time is a number above 0 with ms, s, min or h, such as 200ms',
  rate: 'a rate is a number above 0 with /s, /min or /h, such as 10/s',
  countPerTime: 'a count in a time, such as 3/1min',
};

const durationUnits: Readonly<Record<string, number>> = { ms: 1, s: 1000, min: 60_000, h: 3_600_000 };
/** `200ms`, `5s`, `1min`, `1h` as milliseconds. */
export const duration = z.string(allowed.duration).transform((text, context) => {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|min|h)$/.exec(text);
  const unit = durationUnits[match?.[2] ?? ''];
  if (match && unit !== undefined && Number(match[1]) > 0) return Number(match[1]) * unit;
  context.addIssue({ code: 'custom', message: allowed.duration });
  return z.NEVER;
});

const rateUnits: Readonly<Record<string, number>> = { s: 1, min: 60, h: 3600 };
/** `10/s`, `600/min`, `5/h` as a number per second. */
export const rate = z.string(allowed.rate).transform((text, context) => {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)\/(s|min|h)$/.exec(text);
  const unit = rateUnits[match?.[2] ?? ''];
  if (match && unit !== undefined && Number(match[1]) > 0) return Number(match[1]) / unit;
  context.addIssue({ code: 'custom', message: allowed.rate });
  return z.NEVER;
});

/** `3/1min`: how many in how long. */
export const countPerTime = z.string(allowed.countPerTime).transform((text, context) => {
  const match = /^(\d{1,4})\/(\d{1,4})(s|min|h)$/.exec(text);
  const unit = rateUnits[match?.[3] ?? ''];
  if (match && unit !== undefined && Number(match[1]) > 0 && Number(match[2]) > 0) {
    return { most: Number(match[1]), seconds: Number(match[2]) * unit };
  }
  context.addIssue({ code: 'custom', message: allowed.countPerTime });
  return z.NEVER;
});

/** An address prefix without host bits, or a single address. */
export interface Prefix {
  readonly text: string;
  readonly bytes: readonly number[];
  readonly length: number;
}

/** Parses `192.0.2.0/24` or `2001:db8::/32`; a bare address is its own prefix. Undefined: not one, or with host bits. */
export function parsePrefix(text: string): Prefix | undefined {
  const [address = '', bits] = text.split('/');
  // isIP first: ipaddr.js also takes octal and one-part addresses.
  if (isIP(address) === 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits)) || address.includes('%'))
    return undefined;
  const parsed = ipaddr.parse(address);
  // ::ffff:0:0/96 never matches: users of it are IPv4 to us. They are written as IPv4.
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress()) return undefined;
  const bytes = parsed.toByteArray();
  const length = bits === undefined ? bytes.length * 8 : Number(bits);
  if (length > bytes.length * 8 || !noHostBits(bytes, length)) return undefined;
  return { text: `${address}/${length}`, bytes, length };
}

function noHostBits(bytes: readonly number[], length: number): boolean {
  return bytes.every((byte, index) => {
    const kept = Math.min(8, Math.max(0, length - index * 8));
    return (byte & (0xff >> kept)) === 0;
  });
}

export const prefix = z.string().transform((text, context) => {
  const parsed = parsePrefix(text);
  if (parsed) return parsed;
  context.addIssue({
    code: 'custom',
    message: 'an address or a prefix without host bits, such as 192.0.2.0/24 or 2001:db8::/32',
  });
  return z.NEVER;
});

export const ipAddress = z
  .string()
  .refine((text) => isIP(text) > 0 && !text.includes('%'), 'an IPv4 or IPv6 address');
export const port = z.int().min(1).max(65535);

/** Where nginx listens: `127.0.0.1:8080`, `[::1]:8080` or `unix:/run/x.sock`. */
export const listen = z.string().refine((text) => {
  if (text.startsWith('unix:')) return filePath.safeParse(text.slice(5)).success;
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([0-9.]+)):(\d{1,5})$/.exec(text);
  return (
    match !== null &&
    isIP(match[1] ?? match[2] ?? '') === (match[1] ? 6 : 4) &&
    port.safeParse(Number(match[3])).success
  );
}, 'an address with a port, such as 0.0.0.0:80, [::]:80 or unix:/run/edge.sock');
