/**
 * What `causeway run` does: it makes the parts, serves, goes its rounds, and ends as `on_stop` says. Crash and kill leave
 * BIRD as it is.
 */
import { pino, type Logger } from 'pino';
import type { NodeConfig } from '../types/config.ts';
import { startedEvent, stoppedEvent } from './history-words.ts';
import { leave } from './leave.ts';
import { type ConfigSource, openParts } from './parts.ts';
import { serve } from './serve.ts';
import type { TickReport } from './tick.ts';

/** Runs until `stop` is aborted. Throws for bugs, and for what makes a start impossible (its own port taken). */
export async function runDaemon(
  config: NodeConfig,
  stop: AbortSignal,
  log: Logger = pino(),
  source: ConfigSource = { file: null, onHangup: () => undefined },
): Promise<void> {
  const parts = await openParts(config, log, source);
  const { settings, tools, world, probing, traffic, history, desk, applier, loop } = parts;
  try {
    const http = await serve(parts);
    const { name: node } = config.node;
    log.info(
      { node, mode: config.mode, status: `${http.url}/v1/status`, probes: settings.now().tasks.length },
      'causeway runs',
    );
    history.tell(startedEvent(config));
    while (!stop.aborted) {
      applier.tend();
      await loop.round(stop);
    }
    await applier.end();
    const again = new AbortController();
    const round = (): Promise<TickReport> => loop.round(again.signal);
    const quietProbes = (): void => probing.use(settings.now().config, []);
    await leave({ tools, world, traffic, round, quietProbes, log }, settings.now().config.onStop);
    desk.queue.close('the daemon stops');
    history.tell(stoppedEvent(config));
    await http.close();
  } finally {
    await parts.close();
  }
}
