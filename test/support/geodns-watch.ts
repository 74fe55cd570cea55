/** Asks every site without pause, as users' resolvers do, and keeps what no user may ever be answered. */
import { parseSubnet } from '../../geodns/address.ts';
import { ask, DnsError } from '../../geodns/dns/ask.ts';
import type { StandSite } from '../../lab/geodns/stand.ts';

export interface Watch {
  /** Answers asked for, and those that came. */
  readonly counts: { asked: number; answered: number };
  /** Sentences; a site that is dead for a moment answers nothing, and that is not among them. */
  readonly wrong: string[];
  stop(): Promise<void>;
}

/** `allowed`: answers as sorted addresses, joined by blanks; each of them is right at some time. */
export function watchSites(
  sites: readonly StandSite[],
  subnet: string,
  allowed: readonly string[],
  pauseMillis = 3,
): Watch {
  const counts = { asked: 0, answered: 0 };
  const wrong: string[] = [];
  const ended = new AbortController();
  const loop = async (site: StandSite): Promise<void> => {
    while (!ended.signal.aborted) {
      counts.asked += 1;
      const got = await answerOf(site, subnet);
      if (got !== null) {
        counts.answered += 1;
        if (!allowed.includes(got) && wrong.length < 20)
          wrong.push(`${site.name} answered ${got} at ${new Date().toISOString()}`);
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMillis));
    }
  };
  const loops = sites.map(loop);
  return {
    counts,
    wrong,
    async stop() {
      ended.abort();
      await Promise.all(loops);
    },
  };
}

/** null: it is not there, or too busy. */
async function answerOf(site: StandSite, subnet: string): Promise<string | null> {
  try {
    const reply = await ask(site.dns, 'www.geo.test.', 'A', {
      subnet: parseSubnet(subnet) ?? null,
      timeoutMillis: 1000,
    });
    const addresses = reply.answers.map((answer) => answer.data ?? '').sort();
    return reply.rcode === 0 ? addresses.join(' ') : `rcode ${reply.rcode}`;
  } catch (error) {
    if (error instanceof DnsError) return null;
    throw error;
  }
}
