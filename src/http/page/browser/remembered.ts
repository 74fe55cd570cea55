/** What this browser remembers. Storage may be forbidden or full: then nothing is remembered, and nothing breaks. */
const prefix = 'causeway.';

/** null: nothing is remembered. */
export function recall(name: string): string | null {
  try {
    return localStorage.getItem(prefix + name);
  } catch {
    return null;
  }
}

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(prefix + name, value);
  } catch {
    // The next visit begins without it.
  }
}

/** The token lives as long as the tab, and no longer. */
export const token = {
  read(): string | null {
    try {
      return sessionStorage.getItem(`${prefix}token`);
    } catch {
      return null;
    }
  },
  keep(value: string): void {
    try {
      sessionStorage.setItem(`${prefix}token`, value);
    } catch {
      // It is asked for again.
    }
  },
  forget(): void {
    try {
      sessionStorage.removeItem(`${prefix}token`);
    } catch {
      // There is none then.
    }
  },
};
