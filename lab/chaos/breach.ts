/** A broken invariant, and where. */

export const invariantNames = [
  'announcer',
  'dead',
  'prefixes',
  'budget',
  'sessions',
  'dns',
  'history',
  'edge',
  'returns',
] as const;
export type InvariantName = (typeof invariantNames)[number];

export interface Breach {
  readonly invariant: InvariantName;
  /** Wall time in ms at which it was broken. */
  readonly at: number;
  readonly subject: string;
  readonly text: string;
}

/** What each promises, for tables. */
export const invariantText: Readonly<Record<InvariantName, string>> = {
  announcer: 'no prefix without an announcer unless every uplink is dead or barred',
  dead: 'no announcement on a truly dead uplink beyond the bound, unless a guard holds it and the history says so',
  prefixes: 'carriers see the configured prefixes and nothing else',
  budget: 'no more UPDATEs than the faults account for',
  sessions: 'no session reset by us',
  dns: 'DNS never empty, and never beyond the bound pointing at what is gone',
  history: 'each change seen at a carrier has its record',
  edge: 'no user sent to a node that has lost his carrier',
  returns: 'all is announced again when all is mended',
};
