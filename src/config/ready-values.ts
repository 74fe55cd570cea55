/** The values of readiness checks: endpoints and URLs with addresses, never names, since readiness must not hang on a resolver. */
import type { HttpPlace, ReadyEndpoint } from '../types/ready-check.ts';
import { parseIp } from './addresses.ts';
import { bad, ok, type Parsed } from './leaf.ts';

const never: readonly string[] = ['unspecified', 'multicast', 'broadcast'];
const nameHint = 'an address, not a name, since a check must not hang on a resolver';

/** `127.0.0.1:8080` or `[::1]:8080`; without a port the default one, where there is one. */
export function parseEndpoint(value: unknown, defaultPort: number | null): Parsed<ReadyEndpoint> {
  const example =
    defaultPort === null ? '127.0.0.1:8080 or "[::1]:8080"' : `127.0.0.1 or 127.0.0.1:${defaultPort}`;
  const allowed = `an address${defaultPort === null ? ' and' : ', or one with'} a port, such as ${example}; ${nameHint}`;
  if (typeof value !== 'string') return bad(allowed);
  // A bare IPv6 address, where no port is needed.
  const bare = defaultPort === null ? null : hostOf(value);
  if (bare !== null && defaultPort !== null) return ok({ host: bare, port: defaultPort });
  const match = /^(?:\[([^[\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(value);
  const host = match === null ? null : hostOf(match[1] ?? match[2] ?? '');
  const port = portOf(match?.[3], defaultPort);
  if (match === null || host === null || port === null || (match[1] !== undefined) !== host.includes(':'))
    return bad(allowed);
  return ok({ host, port });
}

/** An endpoint as `parseEndpoint` reads it. */
export function formatEndpoint({ host, port }: ReadyEndpoint): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

export interface ReadyUrl {
  readonly url: string;
  readonly to: HttpPlace;
  /** Path and query. */
  readonly path: string;
}

/** `http://127.0.0.1:8080/healthz`, `https://[::1]/`, or `http://unix:/run/app.sock:/healthz`. */
export function parseReadyUrl(value: unknown): Parsed<ReadyUrl> {
  const allowed = `a URL such as http://127.0.0.1:8080/healthz or http://unix:/run/app.sock:/healthz, with ${nameHint}`;
  if (typeof value !== 'string' || !/^[\u0021-\u007e]+$/.test(value)) return bad(allowed);
  const unix = /^http:\/\/unix:(\/[^:"\\]+):(\/[^#]*)$/.exec(value);
  if (unix !== null) {
    const socket = unix[1] ?? '';
    if (Buffer.byteLength(socket) > 107) return bad('a path of a socket with at most 107 bytes');
    return ok({ url: value, to: { kind: 'socket', socket }, path: unix[2] ?? '/' });
  }
  const match = /^(https?):\/\/(?:\[([^[\]]+)\]|([^/:?#@[\]]+))(?::(\d{1,5}))?(\/[^#]*)?$/.exec(value);
  const kind = match?.[1] === 'https' ? 'https' : 'http';
  const host = match === null ? null : hostOf(match[2] ?? match[3] ?? '');
  const port = portOf(match?.[4], kind === 'https' ? 443 : 80);
  if (match === null || host === null || port === null || (match[2] !== undefined) !== host.includes(':'))
    return bad(allowed);
  return ok({ url: value, to: { kind, host, port }, path: match[5] ?? '/' });
}

/** An address that something can listen on, in canonical text; null: it is none. */
export function hostOf(text: string): string | null {
  const ip = text.includes('%') ? null : parseIp(text);
  if (ip === null || never.includes(ip.range())) return null;
  return 'toRFC5952String' in ip ? ip.toRFC5952String() : ip.toString();
}

function portOf(text: string | undefined, otherwise: number | null): number | null {
  if (text === undefined) return otherwise;
  const port = Number(text);
  return port >= 1 && port <= 65535 ? port : null;
}
