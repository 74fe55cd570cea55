/** Quantities as people say them. Pure. */

/** `0.2 %`, `34 %`; `-`: not known. */
export function percent(ratio: number | null): string {
  if (ratio === null) return '-';
  const value = ratio * 100;
  return `${value > 0 && value < 10 ? value.toFixed(1) : value.toFixed(0)} %`;
}

/** `8.4 ms`, `88 ms`; `-`: not known. */
export function milliseconds(value: number | null): string {
  return value === null ? '-' : `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`;
}

/** Seconds: 42 s, 7 min, 3 h, 2 d. */
export function duration(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}
