/** A reader that is fuzzed: of any bytes it makes a value or a documented error, soon. */

export interface FuzzTarget {
  readonly name: string;
  readonly summary: string;
  /** What inputs begin as. */
  seeds(): readonly Buffer[];
  /** What is wrong with what became of the input; null: nothing. What it throws is a finding too. */
  check(input: Buffer): Promise<string | null> | string | null;
  /** Inputs that are tried side by side; absent: 1. */
  readonly together?: number;
  /** What it opened is closed. */
  close?(): Promise<void>;
}

export function asText(text: string): Buffer {
  return Buffer.from(text);
}
