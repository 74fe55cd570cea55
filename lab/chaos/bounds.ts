/** The bounds that a run is judged by. They are stated for the lab's config (`options.ts`), in docs/chaos.md. */

export interface Bounds {
  /** From the moment that an uplink is truly dead to the loss of its route at the carrier, while the node can act. */
  readonly deadMillis: number;
  /** The prefix of a service held on dead uplinks alone, while a live one could announce it. */
  readonly announcerMillis: number;
  /** From the loss of a route at the carrier to the loss of its address in every answer. */
  readonly dnsMillis: number;
  /** From a change that a carrier sees to its record, or from the return of the daemon. */
  readonly recordMillis: number;
  /** What was mended works again, sessions included, and may be counted on. */
  readonly returnMillis: number;
  /** From the last mending to five healthy nodes that announce everything. */
  readonly settleMillis: number;
}

/** For `patience` of 2 s, an answer waited for at most 1 s, and one second more: 4 s, and as much again for two cores. */
export const labBounds: Bounds = {
  deadMillis: 12_000,
  announcerMillis: 15_000,
  dnsMillis: 15_000,
  recordMillis: 10_000,
  returnMillis: 30_000,
  settleMillis: 120_000,
};
