/**
 * What `causeway run` does: it makes the parts, serves, goes its rounds, and ends as `on_stop` says. Crash and kill leave
 * BIRD as it is.
 */
import { pino, type Logger } from 'pino';
import { tasksOf } from '../core/probe-tasks.ts';
import type { NodeConfig } from '../types/config.ts';
import { startedEvent, stoppedEvent } from './history-words.ts';
import { leave } from './leave.ts';
import { monotonicNow } from './clock.ts';
import { type ConfigSource, openParts, type Parts } from './parts.ts';
import { serve } from './serve.ts';
import { takeServiceManager } from './service-manager.ts';
import { fitHeap } from './small-heap.ts';
import { openSupervision, type Supervision } from './supervision.ts';
import type { TickReport } from './tick.ts';

/** Runs until `stop` is aborted. Throws for bugs, and for what makes a start impossible (its own port taken). */
export async function runDaemon(
  config: NodeConfig,
  stop: AbortSignal,
  log: Logger = pino(),
  source: ConfigSource = { file: null, onHangup: () => undefined },
): Promise<void> {
  fitHeap(tasksOf(config).length);
  const supervision = openSupervision(await takeServiceManager(process.env, log), monotonicNow);
  const parts = await openParts(config, log, source, supervision);
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
      tellSupervisor(supervision, parts, await loop.round(stop), log);
    }
    supervision.stopping();
    await applier.end();
    const again = new AbortController();
    const round = async (): Promise<TickReport> => {
      const report = await loop.round(again.signal);
      tellSupervisor(supervision, parts, report, log);
      return report;
    };
    const quietProbes = (): void => probing.use(settings.now().config, []);
    await leave({ tools, world, traffic, round, quietProbes, log }, settings.now().config.onStop);
    await loop.keep();
    desk.queue.close('the daemon stops');
    history.tell(stoppedEvent(config));
    await http.close();
  } finally {
    await parts.close();
    supervision.close();
  }
}

/** After each tick: the watchdog, the line of `systemctl status`, and once that the service is ready. */
function tellSupervisor(
  supervision: Supervision,
  { tools, world, probing }: Parts,
  report: TickReport,
  log: Logger,
): void {
  const { kind } = probing.prober();
  const readying = supervision.ticked({
    mode: tools.config.mode,
    report,
    alarms: tools.alarms.list().map(({ code }) => code),
    isFrozen: world.operator.freeze !== null,
    isProberHeard: kind === 'running' || kind === 'unable',
  });
  if (readying === 'as-meant') log.info({ prober: kind }, 'ready');
  else if (readying === 'bound')
    log.warn({ prober: kind, bird: report.view.kind }, 'ready, though not all is there yet');
}
