/**
 * Text of LUA records. Lua in PowerDNS is a remote shell, so nothing gets into it but checked tokens; and only printable
 * ASCII without quotes and backslashes survives the API, the database and AXFR on every version. Chunks are broken at
 * spaces that are kept, because versions differ in what they put between chunks (`lua-records-insert-whitespace`), and
 * tokens are kept apart by spaces so that there always is one.
 */

/** Longest chunk between quotes in bytes; DNS allows 255. */
const chunkBytes = 240;

export class RenderError extends Error {
  override readonly name = 'RenderError';
}

/** A Lua string of a name, address, prefix or joined key. Throws a RenderError for anything that could be more. */
export function luaString(token: string): string {
  if (!/^[A-Za-z0-9:._/|*-]{0,255}$/.test(token))
    throw new RenderError(`not a plain token: ${JSON.stringify(token)}`);
  return `'${token}'`;
}

export function luaNumber(value: number): string {
  if (!Number.isInteger(value) || value < 0) throw new RenderError(`not a whole number: ${value}`);
  return String(value);
}

/** `{a, b, c}`. */
export function luaList(items: readonly string[]): string {
  return `{${items.join(', ')}}`;
}

/** `{['key']=value, …}`. */
export function luaMap(entries: Iterable<readonly [string, string]>): string {
  return luaList([...entries].map(([key, value]) => `[${luaString(key)}]=${value}`));
}

/** The rdata of a TXT-like record: quoted chunks. Throws a RenderError for text that would not come through. */
export function quoted(text: string): string {
  if (!/^[\x20\x21\x23-\x5b\x5d-\x7e]*$/.test(text))
    throw new RenderError('record text must be plain ASCII without quotes');
  const chunks: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end =
      start + chunkBytes >= text.length ? text.length : text.lastIndexOf(' ', start + chunkBytes - 1) + 1;
    if (end <= start) throw new RenderError(`no space to break at in: ${text.slice(start, start + 40)}…`);
    chunks.push(`"${text.slice(start, end)}"`);
    start = end;
  }
  return chunks.join(' ');
}
