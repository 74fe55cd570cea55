/** Sets of times as lists of spans that do not touch, in order. Pure. Times in ms. */

/** From `from` up to, but without, `to`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** In order, joined where they touch; empty ones left out. */
export function union(...lists: readonly (readonly Span[])[]): readonly Span[] {
  const sorted = lists
    .flat()
    .filter(({ from, to }) => to > from)
    .toSorted((a, b) => a.from - b.from);
  const joined: Span[] = [];
  for (const span of sorted) {
    const last = joined.at(-1);
    if (last === undefined || span.from > last.to) joined.push(span);
    else joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
  }
  return joined;
}

/** What is in the first and not in the second. */
export function minus(spans: readonly Span[], taken: readonly Span[]): readonly Span[] {
  let left = union(spans);
  for (const cut of union(taken))
    left = left.flatMap(({ from, to }) =>
      cut.to <= from || cut.from >= to
        ? [{ from, to }]
        : [
            { from, to: Math.min(to, cut.from) },
            { from: Math.max(from, cut.to), to },
          ].filter((span) => span.to > span.from),
    );
  return left;
}

/** What is in both. */
export function both(one: readonly Span[], other: readonly Span[]): readonly Span[] {
  return minus(one, minus([{ from: -Infinity, to: Infinity }], other));
}

export function covers(spans: readonly Span[], at: number): boolean {
  return spans.some(({ from, to }) => from <= at && at < to);
}

/** Each made longer on both sides. */
export function widened(spans: readonly Span[], beforeMillis: number, afterMillis: number): readonly Span[] {
  return union(spans.map(({ from, to }) => ({ from: from - beforeMillis, to: to + afterMillis })));
}

/** Length of what of the spans lies between two times. */
export function lengthWithin(spans: readonly Span[], from: number, to: number): number {
  return both(spans, [{ from, to }]).reduce((sum, span) => sum + span.to - span.from, 0);
}
