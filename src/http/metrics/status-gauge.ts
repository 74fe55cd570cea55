/** A gauge whose values are read from the status document, so that metrics and status never tell two stories. */
import type { StatusDocument } from '../../types/wire/status.ts';

export interface GaugeRow {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface StatusGauge {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** What is not known has no row. */
  readonly rows: (document: StatusDocument) => readonly GaugeRow[];
}

/** One value without labels; null: it is not known. */
export function single(value: number | null | undefined): readonly GaugeRow[] {
  return value === null || value === undefined ? [] : [{ labels: {}, value }];
}

/** A value with labels; null: it is not known. */
export function labelled(
  labels: Readonly<Record<string, string>>,
  value: number | null | undefined,
): readonly GaugeRow[] {
  return value === null || value === undefined ? [] : [{ labels, value }];
}

/** A series for each word of an enum: 1 for the one that is so, 0 for the others. */
export function stateSet(
  labels: Readonly<Record<string, string>>,
  words: readonly string[],
  current: string,
): readonly GaugeRow[] {
  return words.map((state) => ({ labels: { ...labels, state }, value: state === current ? 1 : 0 }));
}
