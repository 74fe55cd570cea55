/** An operator's word that no verdict may change the wish (DESIGN §7.13). */
export interface Freeze {
  readonly author: string;
  readonly reason: string;
  /** Wall time, for people; ISO 8601. */
  readonly at: string;
  /** Said to every node; it ends with the fleet's thaw, or with one here. */
  readonly scope?: 'fleet';
}
