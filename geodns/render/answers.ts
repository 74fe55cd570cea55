/** The answer of every policy, rule and family in the present state, each distinct one once. */
import { families, type Family } from '../../src/types/units.ts';
import { countriesToldOf, type View } from '../decision/availability.ts';
import { type Answer, choose, type Level } from '../decision/choose.ts';
import type { Policy } from '../rules/model.ts';
import { luaList, luaMap, luaNumber, luaString } from './lua-text.ts';

/** Answers with numbers; 0 is the empty one, for families that no pool has an address of. */
export class AnswerBook {
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

export interface PolicyAnswers {
  /** `A={[0]=1, 2, …}, XA={['id']={[3]=4}}, AAAA=…` as text. */
  readonly text: string;
  readonly degraded: readonly Degraded[];
}

/** By number of the rule, 0 for the default; countries about which a node has said something have their differences. */
export function answersOf(view: View, policy: Policy, book: AnswerBook): PolicyAnswers {
  const degraded: Degraded[] = [];
  const countries = countriesToldOf(view);
  const fields = families.flatMap((family) => {
    const type = family === 4 ? 'A' : 'AAAA';
    const row = (country: string | null): readonly number[] =>
      [null, ...policy.rules].map((rule) => {
        const order = [...(rule?.use ?? []), ...policy.otherwise];
        const { answer, level } = choose(view, order, { family, country, service: policy.service });
        if (level !== 'normal' && level !== 'none')
          degraded.push({ policy: policy.name, rule: rule?.number ?? 0, family, country, level });
        return book.numberOf(answer);
      });
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
