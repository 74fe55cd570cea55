/** A memory that was stored by this version or an older one: what it lacks is as at a first start. */
import { isRecord } from '../../types/is-record.ts';
import { type DecideMemory, emptyDecideMemory } from './memory.ts';

/** The shapes inside the parts are our own: a part is taken whole, or left out where it is not of its kind. */
export function restoreDecideMemory(stored: unknown): DecideMemory {
  if (!isRecord(stored)) return emptyDecideMemory;
  const entries = Object.entries(emptyDecideMemory).map(([key, empty]) => {
    const value = stored[key];
    return [key, isAlike(value, empty) ? value : empty];
  });
  // Every part has the kind of the empty one, and only this program writes the file.
  return Object.fromEntries(entries) as DecideMemory;
}

function isAlike(value: unknown, empty: unknown): boolean {
  if (Array.isArray(empty)) return Array.isArray(value);
  return empty === null ? value === null || typeof value === 'number' : isRecord(value);
}
