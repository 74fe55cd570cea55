/** Who is answered with what, as a table: access networks down, places across. Pure: one user at a time. */
import type { Family } from '../../src/types/units.ts';
import type { Networks } from '../networks/load.ts';
import type { Policy, Rules } from '../rules/model.ts';
import type { View } from './availability.ts';
import type { Level } from './choose.ts';
import { clientOf, decide, type Decision } from './decide.ts';
import type { MovedUser } from './moved.ts';

/** An answer that users of a cell get. */
export interface CellAnswer {
  readonly pool: string | null;
  readonly level: Level;
  /** null: the default. */
  readonly rule: number | null;
  readonly addresses: readonly string[];
  /** Of all users of the family, 0 to 1. */
  readonly share: number;
}

export interface Cell {
  /** Of networks.yaml; null: unknown ones. */
  readonly network: string | null;
  /** A region of the rules, a country that they name, else a continent; null: not known. */
  readonly place: string | null;
  /** The largest first. */
  readonly answers: readonly CellAnswer[];
}

const mostAnswers = 6;

/** Gathers users of one policy and family. */
export class AnswerTable {
  private readonly cells = new Map<string, Map<string, CellAnswer>>();
  private readonly named: ReadonlySet<string>;
  private readonly view: View;
  private readonly networks: Networks;
  private readonly policy: Policy;
  private readonly family: Family;

  constructor(view: View, networks: Networks, policy: Policy, family: Family) {
    this.view = view;
    this.networks = networks;
    this.policy = policy;
    this.family = family;
    this.named = new Set(policy.rules.flatMap(({ when }) => when.countries));
  }

  add({ address, facts, share }: MovedUser): void {
    const client = clientOf(this.networks, address, facts);
    const { classification } = client;
    const network = classification.kind === 'known' ? classification.network : null;
    const place = placeOf(this.view.rules, this.named, facts);
    const cell = JSON.stringify([network, place]);
    const answers = this.cells.get(cell) ?? new Map<string, CellAnswer>();
    this.cells.set(cell, answers);
    const answer = answerOf(decide(this.view, this.policy, client, this.family));
    const key = JSON.stringify(answer);
    answers.set(key, { ...answer, share: (answers.get(key)?.share ?? 0) + share });
  }

  /** In the order of networks.yaml, unknown ones last. */
  result(): readonly Cell[] {
    const order = [...this.networks.byName.keys()];
    const rank = (network: string | null): number =>
      network === null ? order.length : order.indexOf(network);
    return [...this.cells]
      .map(([key, answers]): Cell => {
        const [network, place] = JSON.parse(key) as [string | null, string | null];
        const sorted = [...answers.values()].sort((a, b) => b.share - a.share);
        return { network, place, answers: sorted.slice(0, mostAnswers) };
      })
      .sort((a, b) => rank(a.network) - rank(b.network) || ((a.place ?? '~') < (b.place ?? '~') ? -1 : 1));
  }
}

/** The first region that holds the country; else the country where rules name it; else the continent. */
function placeOf(
  rules: Rules,
  named: ReadonlySet<string>,
  { country, continent }: MovedUser['facts'],
): string | null {
  if (country === null) return continent;
  const region = [...rules.regions].find(([, countries]) => countries.includes(country))?.[0];
  return region ?? (named.has(country) ? country : continent);
}

function answerOf({ pool, level, rule, answer }: Decision): Omit<CellAnswer, 'share'> {
  const addresses = answer.kind === 'all' ? answer.addresses : answer.choices.map(({ address }) => address);
  return { pool, level, rule: rule?.number ?? null, addresses };
}
