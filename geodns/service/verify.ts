/**
 * Asks every site over DNS, as a resolver would, and compares with our own decision. A site whose serial is right can
 * still be wrong: another GeoIP database, one that is broken (`reload` says Ok for it), Lua that does not run.
 */
import { messageOf } from '../../src/types/message-of.ts';
import { type Address, bitsOf, formatAddress } from '../address.ts';
import { ask } from '../dns/ask.ts';
import { typeCodes } from '../dns/message.ts';
import type { Site } from '../powerdns/site.ts';
import type { GeoLookup } from '../mmdb/geo.ts';
import type { GeoDnsService } from './service.ts';

export interface Verification {
  readonly revision: number;
  readonly asked: number;
  /** One sentence for each wrong answer. */
  readonly wrong: readonly string[];
}

/** `addresses`: users that the databases know. Answers of a zone that changes meanwhile are asked for again later. */
export async function verifySites(
  service: GeoDnsService,
  sites: readonly Site[],
  addresses: readonly Address[],
): Promise<Verification> {
  const revision = service.zone()?.revision ?? 0;
  const { rules, lookup } = service.parts;
  const names = [...rules.names.keys()].map((name) => name.replace('*', 'verify')).slice(0, 3);
  const checks = sites.flatMap((site) =>
    addresses.flatMap((address) => [
      (): Promise<string | null> => geoCheck(site, rules.zone, address, lookup),
      ...names.map((name) => (): Promise<string | null> => answerCheck(service, site, name, address)),
    ]),
  );
  const wrong: string[] = [];
  let asked = 0;
  // A few at a time, and no more once the zone has changed: a removal that is under way goes first.
  const worker = async (): Promise<void> => {
    for (
      let check = checks.pop();
      check !== undefined && service.zone()?.revision === revision;
      check = checks.pop()
    ) {
      const result = await check();
      asked += 1;
      if (result !== null) wrong.push(result);
    }
  };
  await Promise.all([worker(), worker(), worker()]);
  return { revision, asked, wrong };
}

async function answerCheck(
  service: GeoDnsService,
  site: Site,
  name: string,
  address: Address,
): Promise<string | null> {
  const decision = service.decide(name, address, 4);
  if (decision === undefined) return null;
  const { answer } = decision;
  const expected = answer.kind === 'all' ? answer.addresses : answer.choices.map((choice) => choice.address);
  const got = await answersOf(site, name, 'A', address);
  const right =
    answer.kind === 'all'
      ? [...got].sort().join() === [...expected].sort().join()
      : got.length === 1 && expected.includes(got[0] ?? '');
  if (right) return null;
  return `${site.name} answers ${formatAddress(address)} asking for ${name} with ${got.join(', ') || 'nothing'}, not ${expected.join(', ')}`;
}

/** What the site's databases say of a user, beside our own; null: the same. */
export async function geoCheck(
  site: Site,
  zone: string,
  address: Address,
  lookup: GeoLookup,
): Promise<string | null> {
  const facts = lookup(address);
  const word = (value: string | number | null): string =>
    value === null ? 'unknown' : String(value).toLowerCase();
  const expected = `${word(facts.asn)} ${word(facts.country)} ${word(facts.continent)}`;
  const [got = 'nothing'] = await answersOf(site, `_geo.${zone}`, 'TXT', address);
  if (got === expected) return null;
  return `${site.name} knows ${formatAddress(address)} as "${got}", we as "${expected}": its GeoIP databases are not ours`;
}

async function answersOf(
  site: Site,
  name: string,
  type: 'A' | 'TXT',
  address: Address,
): Promise<readonly string[]> {
  try {
    const subnet = { ...address, length: bitsOf(address.family) };
    const reply = await ask(site.dns, name, type, { subnet, timeoutMillis: 3000 });
    return reply.answers
      .filter((record) => record.type === typeCodes[type])
      .map((record) => record.data ?? '');
  } catch (error) {
    return [messageOf(error)];
  }
}
