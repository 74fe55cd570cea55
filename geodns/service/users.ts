/** The users of the databases in use, gathered at the first question about them and kept until the databases change. */
import type { MovedUser } from '../decision/moved.ts';
import { type AsnTraffic, byTraffic, sampleUsers, type UserSample } from '../mmdb/users.ts';
import type { Family } from '../../src/types/units.ts';
import type { GeoDnsService } from './service.ts';

/** What users asked lately, by ASN; null: nobody has told yet. */
export type TrafficOf = () => AsnTraffic | null;

export interface UsersInUse {
  /** `nothing`: no database to gather them from. */
  readonly by: UserSample['by'] | 'nothing';
  readonly users: Readonly<Record<Family, readonly MovedUser[]>>;
}

/** Decisions between two turns of the event loop: a millisecond or two. */
const slice = 200;

export class Users {
  private readonly service: GeoDnsService;
  private readonly trafficOf: TrafficOf;
  private gathered: { readonly of: object; readonly sample: Promise<UserSample> } | null = null;

  constructor(service: GeoDnsService, trafficOf: TrafficOf) {
    this.service = service;
    this.trafficOf = trafficOf;
  }

  async now(): Promise<UsersInUse> {
    const { lookup, networks, rules, databases } = this.service.parts;
    const mmdb = databases.find((one) => one.asnDatabase !== undefined)?.asnDatabase;
    if (mmdb === undefined) return { by: 'nothing', users: { 4: [], 6: [] } };
    if (this.gathered?.of !== mmdb) {
      const named = [...rules.policies.values()].flatMap((policy) =>
        policy.rules.flatMap(({ when }) => when.asns),
      );
      const always = new Set([...networks.byAsn.keys(), ...named]);
      const sample = sampleUsers(mmdb, always);
      this.gathered = { of: mmdb, sample };
    }
    const sample = await this.gathered.sample;
    const traffic = this.trafficOf();
    const weighed = (traffic === null ? null : byTraffic(sample, traffic)) ?? sample;
    const known = (family: Family): readonly MovedUser[] =>
      weighed.users[family].map(({ address, share }) => ({ address, share, facts: lookup(address) }));
    return { by: weighed.by, users: { 4: known(4), 6: known(6) } };
  }
}

/** Hands the users on, some in each turn of the event loop. */
export async function eachUser(users: readonly MovedUser[], take: (user: MovedUser) => void): Promise<void> {
  for (let from = 0; from < users.length; from += slice) {
    for (const user of users.slice(from, from + slice)) take(user);
    if (from + slice < users.length) await new Promise((resolve) => setImmediate(resolve));
  }
}
