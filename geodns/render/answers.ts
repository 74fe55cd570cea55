/** The answer of every policy, rule and family in the present state, each distinct one once. */
import { families, type Family } from '../../src/types/units.ts';
import { countriesToldOf, type View } from '../decision/availability.ts';
import { type Answer, choose, type Chosen, type Level } from '../decision/choose.ts';
import type { Policy } from '../rules/model.ts';
import { steeredPools } from '../steering/entry.ts';
import { luaList, luaMap, luaNumber, luaString } from './lua-text.ts';

/** Answers with numbers; 0 is the empty one, for families that no pool has an address of. */
class AnswerBook {
  private readonly numbers = new Map<string, number>();

  numberOf(answer: Answer): number {
    if (answer.kind === 'all' && answer.addresses.length === 0) return 0;
    const text = luaAnswer(answer);
    const known = this.numbers.get(text);
    if (known !== undefined) return known;
    this.numbers.set(text, this.numbers.size + 1);
    return this.numbers.size;
  }

  /** Lua text of each, the first one having number 1. */
  get texts(): readonly string[] {
    return [...this.numbers.keys()];
  }
}

function luaAnswer(answer: Answer): string {
  if (answer.kind === 'all') return luaList(answer.addresses.map(luaString));
  const choices = answer.choices.map(({ address, weight }) =>
    luaList([luaNumber(weight), luaString(address)]),
  );
  return `{w=${luaList(choices)}}`;
}

/** An answer that is not as rules would have it; for alarms and `/v1/state`. */
export interface Degraded {
  readonly policy: string;
  /** 0: the default. */
  readonly rule: number;
  readonly family: Family;
  readonly country: string | null;
  readonly level: Level;
}

interface PolicyAnswers {
  /** `A={[0]=1, 2, …}, XA={['id']={[3]=4}}, AAAA=…` as text. */
  readonly text: string;
  readonly degraded: readonly Degraded[];
}

/** By number of the rule, 0 for the default; countries about which a node has said something have their differences. */
function policyAnswers(view: View, policy: Policy, book: AnswerBook): PolicyAnswers {
  const degraded: Degraded[] = [];
  const countries = countriesToldOf(view);
  const numbered = ({ answer, level }: Chosen): { readonly number: number; readonly level: Level } => ({
    number: book.numberOf(answer),
    level,
  });
  const fields = families.flatMap((family) => {
    const type = family === 4 ? 'A' : 'AAAA';
    const row = (country: string | null): readonly number[] => {
      // Many rules share a fallback order, and then the answer.
      const known = new Map<string, { readonly number: number; readonly level: Level }>();
      return [null, ...policy.rules].map((rule) => {
        const own = steeredPools(view.state.steering, view.nowMillis, policy, rule);
        const order = [...own, ...policy.otherwise];
        const key = order.map(({ name }) => name).join();
        const found =
          known.get(key) ?? numbered(choose(view, order, { family, country, service: policy.service }));
        known.set(key, found);
        if (found.level !== 'normal' && found.level !== 'none')
          degraded.push({
            policy: policy.name,
            rule: rule?.number ?? 0,
            family,
            country,
            level: found.level,
          });
        return found.number;
      });
    };
    const base = row(null);
    const exceptions = countries.flatMap((country): readonly (readonly [string, string])[] => {
      const differing = row(country)
        .map((answer, rule) => ({ answer, rule }))
        .filter(({ answer, rule }) => answer !== base[rule]);
      if (differing.length === 0) return [];
      const text = luaList(differing.map(({ answer, rule }) => `[${luaNumber(rule)}]=${luaNumber(answer)}`));
      return [[country.toLowerCase(), text]];
    });
    const [otherwise = 0, ...rules] = base;
    return [
      `${type}=${luaList([`[0]=${luaNumber(otherwise)}`, ...rules.map(luaNumber)])}`,
      `X${type}=${luaMap(exceptions)}`,
    ];
  });
  return { text: fields.join(', '), degraded };
}

/** What of the zone depends on the state: two equal ones need no new revision. */
export interface Answers {
  /** Distinct answers; the first has number 1. */
  readonly texts: readonly string[];
  readonly policies: readonly { readonly name: string; readonly text: string }[];
  readonly degraded: readonly Degraded[];
}

export function answersIn(view: View): Answers {
  const book = new AnswerBook();
  const found = [...view.rules.policies.values()].map((policy) => ({
    name: policy.name,
    answers: policyAnswers(view, policy, book),
  }));
  return {
    texts: book.texts,
    policies: found.map(({ name, answers }) => ({ name, text: answers.text })),
    degraded: found.flatMap(({ answers }) => answers.degraded),
  };
}

export function sameAnswers(a: Answers, b: Answers): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
