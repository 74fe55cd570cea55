/** Services against uplinks: only those that there are, and a way out that exists for answers by source. */
import type { Finding } from '../problem.ts';
import type { ServiceView, View } from '../view.ts';

/** Priorities of the rules for answers lie below that of main, 32766. */
const mostAnswerRules = 12_000;

/** Problems of `services.*.uplinks` and `services.*.egress`. */
export function checkServices(view: View): readonly Finding[] {
  return [
    ...view.services.flatMap((service) => [
      ...checkNames(service, view),
      ...checkBackups(service, view),
      ...checkEgress(service, view),
    ]),
    ...checkAnswerRules(view),
  ];
}

/** What works, but hardly as it was meant. */
export function warnOfServices(view: View): readonly Finding[] {
  const { drain } = view.policy;
  if (drain === undefined) return [];
  return view.services.flatMap(({ path, self }) =>
    Object.entries(self.uplinks ?? {}).flatMap(([uplink, { med }]): readonly Finding[] => {
      if (med === undefined || med < drain.med) return [];
      const said = `the MED is ${med}, not less than ${drain.med} of policy.drain.med: by MED a drained announcement attracts as much`;
      return [
        {
          path: [...path, 'uplinks', uplink, 'med'],
          where: 'value',
          allowed: 'less than policy.drain.med',
          said,
        },
      ];
    }),
  );
}

function checkNames({ path, self }: ServiceView, { uplinks }: View): readonly Finding[] {
  if (uplinks.length === 0) return [];
  const known = uplinks.map(({ name }) => name);
  return Object.keys(self.uplinks ?? {})
    .filter((name) => !known.includes(name))
    .map((name) => ({
      path: [...path, 'uplinks', name],
      where: 'key',
      found: `the uplink ${JSON.stringify(name)}, which is not in uplinks`,
      allowed: `one of ${known.join(', ')}`,
    }));
}

/** All as backup would leave nothing that they could back up. */
function checkBackups({ path, self }: ServiceView, { uplinks }: View): readonly Finding[] {
  const given = self.uplinks ?? {};
  if (uplinks.length === 0 || !uplinks.every(({ name }) => given[name]?.state === 'backup')) return [];
  return [
    {
      path: [...path, 'uplinks'],
      where: 'key',
      found: 'every uplink as a backup',
      allowed: 'one uplink or more that is no backup',
    },
  ];
}

function checkEgress({ path, self }: ServiceView, { uplinks }: View): readonly Finding[] {
  if (self.egress !== 'by-source' || self.uplinks === undefined) return [];
  const names = Object.keys(self.uplinks);
  const at = { path: [...path, 'egress'], where: 'value' } as const;
  if (names.length === 0)
    return [{ ...at, allowed: 'best, or by-source with the uplinks of the answers in uplinks' }];
  return uplinks
    .filter(({ name, self: { import: learnt } }) => names.includes(name) && learnt === 'none')
    .map(({ name }) => ({
      ...at,
      allowed: `best, or by-source with uplinks that learn routes: uplinks.${name}.import is none`,
    }));
}

function checkAnswerRules({ services }: View): readonly Finding[] {
  let count = 0;
  for (const { self } of services) {
    if (self.egress !== 'by-source') continue;
    count += (self.prefixes?.length ?? 0) * Object.keys(self.uplinks ?? {}).length;
  }
  if (count <= mostAnswerRules) return [];
  return [
    {
      path: ['services'],
      where: 'key',
      found: `${count} rules for answers by source`,
      allowed: `at most ${mostAnswerRules}, one for each prefix and uplink of a service with egress: by-source`,
    },
  ];
}
