/** The kinds of values that the sections of the config are made of. */
import { asn, type Asn, type Family, type PerFamily } from '../types/units.ts';
import { parseAddress, parseIp, parsePrefix, textOf } from './addresses.ts';
import { isBirdWord } from './bird-words.ts';
import { bad, leaf, ok, type EditorSchema, type Flaw, type Parsed } from './leaf.ts';
import {
  formatDuration,
  parseBitRate,
  parseCount,
  parseDuration,
  parsePercent,
  parseRate,
  parseSurplus,
  type Bounds,
} from './quantities.ts';

/** A duration; bounds in ms. */
export function duration(sentence: string, bounds: Bounds) {
  const editor = {
    type: ['string', 'integer'],
    pattern: String.raw`^\d+(\.\d+)?(ms|s|min|h|d)$`,
    minimum: 0,
    maximum: 0,
  };
  return leaf(sentence, editor, (value) => parseDuration(value, bounds));
}

/** A duration of whole seconds, as seconds; bounds in ms. */
export function seconds(sentence: string, bounds: Bounds) {
  const editor = { type: 'string', pattern: String.raw`^\d+(\.\d+)?(ms|s|min|h|d)$` };
  return leaf(sentence, editor, (value): Parsed<number> => {
    const parsed = parseDuration(value, bounds);
    if (parsed.kind === 'ok' && parsed.value % 1000 === 0) return ok(parsed.value / 1000);
    const range = `from ${formatDuration(bounds.min)} to ${formatDuration(bounds.max)}`;
    return bad(`a duration of whole seconds ${range}, such as ${formatDuration(bounds.min)}`);
  });
}

/** A percentage; bounds as ratios. */
export function percent(sentence: string, bounds: Bounds) {
  const editor = { type: 'string', pattern: String.raw`^\d+(\.\d+)?%$` };
  return leaf(sentence, editor, (value) => parsePercent(value, bounds));
}

/** How much more than usual; bounds as ratios. */
export function surplus(sentence: string, bounds: Bounds) {
  const editor = { type: 'string', pattern: String.raw`^\+\d+(\.\d+)?%$` };
  return leaf(sentence, editor, (value) => parseSurplus(value, bounds));
}

/** A budget of events over time; bounds in ms between two. */
export function rate(sentence: string, bounds: Bounds) {
  const editor = { type: 'string', pattern: String.raw`^\d+/\d+(\.\d+)?(min|h|d|y)$` };
  return leaf(sentence, editor, (value) => parseRate(value, bounds));
}

/** A count within a time; bounds of the time in ms. */
export function countIn(sentence: string, counts: Bounds, windows: Bounds) {
  const editor = { type: 'string', pattern: String.raw`^\d+/\d+(\.\d+)?(s|min|h|d)$` };
  return leaf(sentence, editor, (value) => parseCount(value, counts, windows));
}

/** What a link carries; bounds in bits per second. */
export function bitRate(sentence: string, bounds: Bounds) {
  const editor = { type: 'string', pattern: String.raw`^\d+(\.\d+)?(kbit|mbit|gbit)$` };
  return leaf(sentence, editor, (value) => parseBitRate(value, bounds));
}

/** A whole number; both bounds are allowed. */
export function wholeNumber(sentence: string, bounds: Bounds) {
  const editor = { type: 'integer', minimum: bounds.min, maximum: bounds.max };
  return leaf(sentence, editor, (value) => parseWhole(value, bounds));
}

/** A number that may have a fraction; both bounds are allowed. */
export function decimal(sentence: string, bounds: Bounds) {
  const editor = { type: 'number', minimum: bounds.min, maximum: bounds.max };
  return leaf(sentence, editor, (value) =>
    typeof value === 'number' && value >= bounds.min && value <= bounds.max
      ? ok(value)
      : bad<number>(`a number from ${bounds.min} to ${bounds.max}`),
  );
}

/** Reserved: 0 (RFC 7607), AS_TRANS 23456 (RFC 6793), the last of 16 and of 32 bits (RFC 7300). */
const reservedAsns: readonly number[] = [23456, 65535, 4294967295];

/** An AS number that a BGP speaker may have. */
export function asNumber(sentence: string) {
  const allowed = 'an AS number from 1 to 4294967294 other than 23456 and 65535, which are reserved';
  return leaf(sentence, { type: 'integer', minimum: 1, maximum: 4294967294 }, (value): Parsed<Asn> => {
    if (parseWhole(value, { min: 1, max: 4294967295 }).kind === 'bad' || typeof value !== 'number')
      return bad(allowed);
    return reservedAsns.includes(value) ? bad(allowed) : ok(asn(value));
  });
}

/** Text of one pattern. `allowed` ends the sentence "allowed: …". */
export function text(sentence: string, pattern: RegExp, allowed: string) {
  return leaf(sentence, { type: 'string', pattern: pattern.source }, (value) =>
    typeof value === 'string' && pattern.test(value) ? ok(value) : bad<string>(allowed),
  );
}

const notBirdWord =
  "a name that is no word of BIRD's own, since BIRD 2.0.12 and 3.1 cannot read it in a route: rename the interface (systemd.link(5), Name=)";

/** The name of a network interface, as BIRD's configuration and `ip` can carry it. */
export function interfaceName(sentence: string) {
  const pattern = /^(?!\.{1,2}$)[A-Za-z0-9_.-]{1,15}$/;
  const allowed = 'the name of an interface: up to 15 letters, digits, dots, hyphens or underscores';
  return leaf(sentence, { type: 'string', pattern: pattern.source }, (value) => {
    if (typeof value === 'string' && isBirdWord(value)) return bad<string>(notBirdWord);
    if (typeof value === 'string' && pattern.test(value)) return ok(value);
    const parented = typeof value === 'string' && value.includes('@');
    return bad<string>(parented ? `${allowed}; what \`ip link\` shows behind @ is the parent` : allowed);
  });
}

/** The name of a node, site or carrier, as it goes to GeoDNS and the fleet. */
export function wireText(sentence: string) {
  const allowed = 'a name of 1 to 63 characters: a small letter, then small letters, digits or hyphens';
  return text(sentence, /^[a-z][a-z0-9-]{0,62}$/, allowed);
}

/** `socket`: an address of a Unix socket has room for 107 bytes (unix(7)). */
export function absolutePath(sentence: string, kind: 'file' | 'folder' | 'socket') {
  const most = kind === 'socket' ? 107 : 4000;
  const allowed = `an absolute path of a ${kind} with at most ${most} bytes, without quotes and control characters`;
  // eslint-disable-next-line no-control-regex -- control characters are what it refuses
  const pattern = /^\/[^\u0000-\u001f\u007f"\\]*$/;
  return leaf(sentence, { type: 'string', pattern: '^/' }, (value) =>
    typeof value === 'string' && pattern.test(value) && Buffer.byteLength(value) <= most
      ? ok(value)
      : bad<string>(allowed),
  );
}

/** One of a few words. */
export function choice<const T extends string>(sentence: string, choices: readonly T[]) {
  return leaf(sentence, { enum: choices }, (value): Parsed<T> => {
    const found = choices.find((one) => one === value);
    return found === undefined ? bad(choices.join(', ').replace(/, ([^,]*)$/, ' or $1')) : ok(found);
  });
}

/** true or false, as YAML 1.2 has them. */
export function yesOrNo(sentence: string) {
  return leaf(sentence, { type: 'boolean' }, (value) =>
    typeof value === 'boolean' ? ok(value) : bad<boolean>('true or false'),
  );
}

/** A router id: a dotted quad other than 0.0.0.0 (RFC 6286 asks only that it is not zero and unique in the AS). */
export function routerId(sentence: string) {
  return leaf(sentence, { type: 'string' }, (value) => {
    const ip = typeof value === 'string' && !value.includes(':') ? parseIp(value) : null;
    return ip === null || ip.toString() === '0.0.0.0'
      ? bad<string>('an IPv4 address other than 0.0.0.0, such as 10.255.0.1')
      : ok(ip.toString());
  });
}

/** A prefix of unicast addresses without host bits. */
export function prefix(sentence: string) {
  return leaf(sentence, { type: 'string' }, parsePrefix);
}

/** One address of a machine, loopback included. */
export function ipAddress(sentence: string) {
  return leaf(sentence, { type: 'string' }, (value) => {
    const ip = typeof value === 'string' ? parseIp(value) : null;
    const unfit = ['unspecified', 'multicast', 'broadcast', 'ipv4Mapped', 'linkLocal'];
    return ip === null || unfit.includes(ip.range())
      ? bad<string>('an IPv4 or IPv6 address of a machine, such as 127.0.0.1')
      : ok(textOf(ip));
  });
}

/** An address and where it stands: its index in a list, or null when it is the value itself. */
export interface PlacedAddress {
  readonly family: Family;
  readonly text: string;
  readonly linkLocal: boolean;
  readonly index: number | null;
}

const addressesEditor: EditorSchema = {
  anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 }],
};

/** One address, or a list with one for each family. */
export function addresses(sentence: string) {
  return leaf(sentence, addressesEditor, (value) => parsePerFamily(value, parseAddress));
}

/** Reads one value or a list with at most one for each family. `what` is read by `parse`. */
export function parsePerFamily<T extends { readonly family: Family }>(
  value: unknown,
  parse: (value: unknown) => Parsed<T>,
): Parsed<PerFamily<T & { readonly index: number | null }>> {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length === 0) return bad('an address, or a list with one for each family');
  const flaws: Flaw[] = [];
  const found = new Map<Family, T & { readonly index: number | null }>();
  for (const [position, entry] of list.entries()) {
    const index = Array.isArray(value) ? position : null;
    const path = index === null ? [] : [index];
    const parsed = parse(entry);
    if (parsed.kind === 'bad') {
      for (const flaw of parsed.flaws) flaws.push({ ...flaw, path: [...path, ...flaw.path] });
    } else if (found.has(parsed.value.family)) {
      const { family } = parsed.value;
      flaws.push({ path, allowed: `one IPv${family} address, and this list has one already` });
    } else found.set(parsed.value.family, { ...parsed.value, index });
  }
  return flaws.length > 0 ? { kind: 'bad', flaws } : ok(perFamily(found));
}

function perFamily<T>(found: ReadonlyMap<Family, T>): PerFamily<T> {
  const [four, six] = [found.get(4), found.get(6)];
  return { ...(four === undefined ? {} : { 4: four }), ...(six === undefined ? {} : { 6: six }) };
}

function parseWhole(value: unknown, bounds: Bounds): Parsed<number> {
  const fits =
    typeof value === 'number' && Number.isInteger(value) && value >= bounds.min && value <= bounds.max;
  return fits ? ok(value) : bad(`a whole number from ${bounds.min} to ${bounds.max}, without quotes`);
}
