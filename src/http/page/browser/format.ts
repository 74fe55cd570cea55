/** Figures as people read them; a dash for what is not known. Pure. */
export function percent(share: number | null | undefined): string {
  if (share === null || share === undefined) return '–';
  const value = share * 100;
  return `${value > 0 && value < 10 ? value.toFixed(1) : value.toFixed(0)} %`;
}

export function milliseconds(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  return `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`;
}

/** 42 s, 7 min, 3 h, 2 d. */
export function duration(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}

const two = (value: number): string => String(value).padStart(2, '0');

/** The reader's own clock, 24 hours: 03:12:45; with the day where it is not today. `now` is wall time in ms. */
export function clock(iso: string, now: number): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  const today = new Date(now);
  const sameDay = at.toDateString() === today.toDateString();
  return sameDay ? time : `${two(at.getMonth() + 1)}-${two(at.getDate())} ${time}`;
}
