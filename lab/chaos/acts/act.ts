/** What the lab does for a fault, and how it is taken away. */

export interface Act {
  /** Rejects where it cannot be done. */
  apply(): Promise<void>;
  /** Safe to repeat, and when it was never applied. */
  mend(): Promise<void>;
}

export const nothingToMend = async (): Promise<void> => undefined;
