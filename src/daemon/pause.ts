/** Resolves after a time, and keeps no process from ending. */
export function pause(waitMillis: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, waitMillis).unref();
  });
}
