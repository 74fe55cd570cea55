/** Carriers see the configured prefixes from our AS, and nothing else. Pure. */
import { nodeAsn } from '../../network/addresses.ts';
import type { Breach } from '../breach.ts';
import type { Story } from '../story.ts';
import { subjectOf } from './dead.ts';

export function judgePrefixes(story: Story): readonly Breach[] {
  const { prefixes } = story.begin;
  const heard = story.of('heard').flatMap((fact): readonly Breach[] => {
    const subject = subjectOf(fact);
    if (!prefixes.includes(fact.prefix))
      return [{ invariant: 'prefixes', at: fact.at, subject, text: `${fact.what} ${fact.prefix}` }];
    const foreign = fact.path.filter((asn) => asn !== nodeAsn);
    if (foreign.length === 0) return [];
    return [
      {
        invariant: 'prefixes',
        at: fact.at,
        subject,
        text: `${fact.prefix} with the path ${fact.path.join(' ')}`,
      },
    ];
  });
  const seen = story.of('table').flatMap((fact) =>
    fact.prefixes
      .filter((prefix) => !prefixes.includes(prefix))
      .map(
        (prefix): Breach => ({
          invariant: 'prefixes',
          at: fact.at,
          subject: subjectOf(fact),
          text: `its table holds ${prefix}`,
        }),
      ),
  );
  return [...heard, ...seen];
}
