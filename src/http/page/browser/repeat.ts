/** Questions that are asked again and again, for what a page shows. */

/** Nobody looks at a hidden tab. */
const hiddenMillis = 15_000;

/** Does it again and again, one at a time; `now` brings the next time forward. */
export function repeat(everyMillis: () => number, action: () => Promise<void>): { readonly now: () => void } {
  let timer = 0;
  let isRunning = false;
  let isWanted = false;
  const run = async (): Promise<void> => {
    window.clearTimeout(timer);
    isRunning = true;
    isWanted = false;
    await action();
    isRunning = false;
    if (isWanted) return run();
    timer = window.setTimeout(() => void run(), document.hidden ? hiddenMillis : everyMillis());
  };
  void run();
  return {
    now() {
      if (isRunning) isWanted = true;
      else void run();
    },
  };
}
