/** An operator's word that no verdict may change the wish (DESIGN §7.13). */
export interface Freeze {
  readonly author: string;
  readonly reason: string;
  /** Wall time, for people; ISO 8601. */
  readonly at: string;
}
