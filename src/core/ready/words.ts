/** Words that begin the reason of what readiness and the boot take away. The owned file keeps them over restarts, so they are read back. */

/** Of a service that is not ready; what the check found follows. */
export const notReadyWords = 'not ready: ';

/** Of a service that came up withdrawn after a reboot (`on_boot: hold`). */
export const bootWords = 'withdrawn since the boot until it is ready';
