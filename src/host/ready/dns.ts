/** `dns`: one question to one server, by a resolver of its own that neither caches nor knows the machine's other servers. */
import { Resolver } from 'node:dns/promises';
import type { DnsProbe } from '../../types/ready-check.ts';
import type { ReadyOutcome } from '../../types/ready-outcome.ts';
import { unreachable } from '../../types/unreachable.ts';
import { codeOf, outcomeOfError } from './trouble.ts';

/** Longer than any check: the deadline is the caller's, who aborts `signal`. */
const resolverTimeoutMillis = 120_000;

/** Asks once; `signal` ends it. */
export async function checkDns(probe: DnsProbe, signal: AbortSignal): Promise<ReadyOutcome> {
  const { server, expect } = probe;
  const resolver = new Resolver({ timeout: resolverTimeoutMillis, tries: 1 });
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    resolver.setServers([
      server.host.includes(':') ? `[${server.host}]:${server.port}` : `${server.host}:${server.port}`,
    ]);
    const answers = await answersOf(resolver, probe);
    const [first] = answers;
    if (first === undefined) return { kind: 'fail', text: 'an empty answer' };
    const fits = expect === null || answers.some((answer) => plain(answer) === plain(expect));
    if (fits) return { kind: 'pass', text: `answered ${expect ?? first}` };
    return { kind: 'fail', text: `answered ${answers.slice(0, 3).join(', ')}, expected ${expect}` };
  } catch (error) {
    return outcomeOfDns(error);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

async function answersOf(resolver: Resolver, { name, type }: DnsProbe): Promise<readonly string[]> {
  switch (type) {
    case 'A':
      return resolver.resolve4(name);
    case 'AAAA':
      return resolver.resolve6(name);
    case 'CNAME':
      return resolver.resolveCname(name);
    case 'NS':
      return resolver.resolveNs(name);
    case 'SOA':
      return [(await resolver.resolveSoa(name)).nsname];
    case 'TXT':
      return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
    default:
      return unreachable(type);
  }
}

/** Names compare without case and the last dot (RFC 4343). */
function plain(value: string): string {
  return value.toLowerCase().replace(/\.$/, '');
}

/** c-ares names what the server said by codes of its own. */
function outcomeOfDns(error: unknown): ReadyOutcome {
  const said = sayings[codeOf(error)];
  return said === undefined ? outcomeOfError(error) : { kind: 'fail', text: said };
}

const sayings: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the server knows no such name (NXDOMAIN)',
  ENODATA: 'the name has no record of this type',
  ESERVFAIL: 'the server failed (SERVFAIL)',
  EREFUSED: 'the server refused the question (REFUSED)',
  ETIMEOUT: 'no answer',
  ECANCELLED: 'no answer',
};
