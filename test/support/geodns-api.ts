/** Calls of the GeoDNS API, and questions to its sites, for tests. */
import { parseSubnet } from '../../geodns/address.ts';
import { ask, type AskOptions, DnsError } from '../../geodns/dns/ask.ts';
import type { QueryType, Reply } from '../../geodns/dns/message.ts';
import type { ToldState } from '../../src/types/wire/enums.ts';
import type { StandSite } from '../../lab/geodns/stand.ts';

export interface ApiAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export type Caller = (method: string, path: string, body?: unknown) => Promise<ApiAnswer>;

export function callerOf(base: string, token: string | null): Caller {
  return async (method, path, body) => {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined
          ? {}
          : { 'content-type': typeof body === 'string' ? 'application/yaml' : 'application/json' }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const parsed: unknown = text === '' ? {} : JSON.parse(text);
    return {
      status: response.status,
      body: Array.isArray(parsed) ? { list: parsed } : (parsed as ApiAnswer['body']),
    };
  };
}

/** The message of DESIGN §9 about one uplink, both families alike. */
export function uplinkMessage(
  state: ToldState,
  epoch: number,
  seq: number,
  regions?: Record<string, ToldState>,
): unknown {
  const both = regions === undefined ? { state } : { state, regions };
  return {
    schema: 1,
    carrier: 'cmi',
    families: { '4': both, '6': both },
    held: null,
    epoch,
    seq,
    reason: 'loss 34 %',
    at: '2026-11-30T01:00:00Z',
  };
}

/** Asks as resolvers do: again when no reply comes, since a loaded machine may starve either side for seconds. */
export async function askPatiently(
  site: StandSite,
  name: string,
  type: QueryType,
  options: AskOptions,
): Promise<Reply> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask(site.dns, name, type, { ...options, timeoutMillis: 5000 });
    } catch (error) {
      if (!(error instanceof DnsError) || error.code !== 'dns-timeout' || attempt === 4) throw error;
    }
  }
}

/** Sorted addresses that a site answers a user of this subnet with. */
export async function addresses(site: StandSite, subnet: string, name = 'www.geo.test.'): Promise<string> {
  const reply = await askPatiently(site, name, 'A', { subnet: parseSubnet(subnet) ?? null });
  if (reply.rcode !== 0) throw new Error(`rcode ${reply.rcode}`);
  return reply.answers
    .map((answer) => answer.data ?? '')
    .sort()
    .join(' ');
}
