/** The HTTP routes of the daemon, and the snapshots that they read. */
import { checkToken } from '../adapters/token-file.ts';
import { dampingModels } from '../core/decide/damping.ts';
import { changesLeft } from '../core/decide/flap-budget.ts';
import { listenControl } from '../host/control-socket.ts';
import { applyRoutes } from '../http/apply-routes.ts';
import { eventRoutes } from '../http/events.ts';
import { historyRoutes } from '../http/history.ts';
import { operatorRoutes } from '../http/operator-routes.ts';
import { recordRoutes } from '../http/record.ts';
import { type HttpServer, startHttp } from '../http/server.ts';
import { uplinkRoutes } from '../http/uplink-routes.ts';
import type { StatusDocument } from '../types/wire/status.ts';
import { monotonicNow, wallTimeNow } from './clock.ts';
import { explanationsOf } from './explanations.ts';
import type { Parts } from './parts.ts';
import { proberStatus } from './prober-status.ts';
import { statusDocumentOf } from './status-document.ts';

/** Starts all listeners, or throws the error of the first that fails. */
export function serve({
  tools,
  world,
  probing,
  last,
  history,
  witnesses,
  beyond,
  desk,
  applyDesk,
}: Parts): Promise<HttpServer> {
  const { config, alarms, narrator, readiness } = tools;
  const startedAt = wallTimeNow();
  const status = (): StatusDocument =>
    statusDocumentOf({
      config: tools.config,
      startedAt,
      now: monotonicNow(),
      wallMillis: Date.now(),
      report: last.report,
      links: probing.links(),
      beyond: beyond.states(),
      changesLeft: (key) =>
        changesLeft(
          dampingModels[tools.config.guards.flapBudget],
          world.decide.penalties[key],
          monotonicNow(),
        ),
      notRun: probing.notRun(),
      figures: (subject) => probing.figures(subject, monotonicNow()),
      prober: proberStatus(probing.prober()),
      alarms: alarms.list(),
      services: readiness.status(),
      overrides: [...world.overrides, ...world.operator.maintenance],
      freeze: world.operator.freeze,
      transitions: narrator.transitions(),
      actions: narrator.actions(),
      shadow: witnesses.shadow(),
    });
  return startHttp({
    ...config.http,
    listeners: [(accept) => listenControl({ path: config.paths.control, accept })],
    status,
    routes: [
      historyRoutes(history),
      eventRoutes(history),
      recordRoutes(witnesses),
      operatorRoutes(desk.commands),
      applyRoutes((request, say) => applyDesk.apply(request, say)),
      uplinkRoutes({
        status,
        explain: (uplink) => explanationsOf(last.report, world.operator.decided, world.decide, uplink),
      }),
    ],
    checkToken: (token) => checkToken(tools.config.http.tokenFile, token),
  });
}
