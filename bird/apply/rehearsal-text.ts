/**
 * The text of a rehearsal: an owned text in which each BGP session is a pipe with the same export filter into a table of
 * its own, which is read back. What would touch the machine or the network is left out. Pure.
 */
import { readText } from './bird-text.ts';

/** Table that holds what a session would export. */
export function rehearsalTable(session: string): string {
  return `rehearsal_${session}`;
}

/** Routes that no filter may let out, beside the announcements: each is put into every table of a carrier. */
const strays = { 4: ['0.0.0.0/0', '192.88.99.0/24'], 6: ['::/0', '2001:db8:ffff::/48'] } as const;

/**
 * A configuration for a scratch BIRD. `prefixes` are the announced ones by family: a more specific of each is put beside
 * the strays, with the mark of an announcement, because a carrier must get neither. null: no strays.
 */
export function rehearsalText(
  text: string,
  prefixes: Readonly<Record<4 | 6, readonly string[]>> | null,
): string {
  const { statements, sessions } = readText(text);
  const kept = statements.filter(isKept).map(({ text: one }) => `${one};`);
  const tables = new Map<string, 4 | 6>();
  for (const { table, family } of sessions.values()) tables.set(table, family);
  const marked = statements.some(({ text: one }) => /^attribute int causeway_med$/.test(one));
  const mark = marked ? ' { causeway_med = 1; }' : '';
  const stray = [...tables].flatMap(([table, family], index) => {
    if (prefixes === null) return [];
    const announced = new Set(prefixes[family]);
    const routes = new Set([...strays[family], ...prefixes[family].flatMap(moreSpecific)]);
    const lines = [...routes]
      .filter((one) => !announced.has(one))
      .map((one) => `route ${one} blackhole${mark};`);
    return `protocol static stray_${index} { ipv${family} { table ${table}; preference 1; }; ${lines.join(' ')} }`;
  });
  const pipes = [...sessions.values()].flatMap(({ name, family, table, channel }) => [
    `ipv${family} table ${rehearsalTable(name)};`,
    `protocol pipe ${name} { table ${table}; peer table ${rehearsalTable(name)}; import none; export ${channel.get('export') ?? 'none'}; }`,
  ]);
  return `${['router id 192.0.2.1;', ...kept, ...stray, ...pipes].map(ended).join('\n')}\n`;
}

/** Constants, filters, tables and our own announcements; no log, kernel, device, session or pipe. */
function isKept({ text, head }: { readonly text: string; readonly head: string }): boolean {
  if (/^(?:define|attribute|function|filter|roa[46] table|ipv[46] table|ipv[46]) /.test(text)) return true;
  return /^protocol static (?:announce|drain)_\w+$/.test(head);
}

/** A block takes no semicolon of its own in BIRD 2.0.12. */
function ended(line: string): string {
  return line.endsWith('};') ? line.slice(0, -1) : line;
}

/** The lower half of a prefix; none of a single address. */
function moreSpecific(prefix: string): readonly string[] {
  const [address = '', length = ''] = prefix.split('/');
  const longest = address.includes(':') ? 128 : 32;
  return Number(length) < longest ? [`${address}/${Number(length) + 1}`] : [];
}
