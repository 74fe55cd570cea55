/** Which maintenance windows are open now. The starts of each are computed once in a while, not in each tick. */
import { maintenanceAt, reachOf, startsBetween, type WindowStarts } from '../core/maintenance/windows.ts';
import type { MaintenanceWindow } from '../types/maintenance.ts';
import type { Override } from '../types/override.ts';

export interface MaintenanceCalendar {
  /** The overrides of what is open at this wall time. */
  at(wallMillis: number): readonly Override[];
}

/** Starts are computed for this long ahead. */
const pageMillis = 3_600_000;

interface Page {
  readonly windows: readonly MaintenanceWindow[];
  readonly from: number;
  readonly to: number;
  readonly starts: readonly WindowStarts[];
}

/** `windowsNow`: of the config in force, which a reload replaces. */
export function openCalendar(windowsNow: () => readonly MaintenanceWindow[]): MaintenanceCalendar {
  let page: Page = { windows: [], from: 0, to: 0, starts: [] };
  return {
    at(wallMillis) {
      const windows = windowsNow();
      if (windows.length === 0) return [];
      if (page.windows !== windows || wallMillis < page.from || wallMillis >= page.to) {
        const [from, to] = [wallMillis, wallMillis + pageMillis];
        page = { windows, from, to, starts: windows.map((window) => startsOn(window, from, to)) };
      }
      return maintenanceAt(page.starts, wallMillis);
    },
  };
}

function startsOn(window: MaintenanceWindow, from: number, to: number): WindowStarts {
  const { back, ahead } = reachOf(window);
  return { window, starts: startsBetween(window.cron, window.timezone, from - back, to + ahead) };
}
