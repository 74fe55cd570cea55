/** Whoever supervises this process: systemd, or nobody. */
import type { Logger } from 'pino';
import type { ServiceManager } from '../adapters/systemd-notify.ts';

/**
 * Null where nobody listens. Takes the variables out of the environment: children are not the service. A socket that
 * cannot be opened is logged; systemd then gives up waiting for the start and says so.
 */
export async function takeServiceManager(
  environment: NodeJS.ProcessEnv,
  log: Logger,
): Promise<ServiceManager | null> {
  const asked = { ...environment };
  if ((asked['NOTIFY_SOCKET'] ?? '') === '') return null;
  for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) delete environment[name];
  try {
    // Loaded here alone: without systemd the daemon needs no machine code of koffi's.
    const { openServiceManager } = await import('../adapters/systemd-notify.ts');
    const manager = openServiceManager(asked, process.pid);
    if (manager === null)
      log.warn({ socket: asked['NOTIFY_SOCKET'] }, 'not a Unix socket: systemd is told nothing');
    return manager;
  } catch (error) {
    log.error({ err: error }, 'systemd cannot be told anything');
    return null;
  }
}
