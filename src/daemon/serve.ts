/** The HTTP routes of the daemon, and the snapshots that they read. */
import { checkToken } from '../adapters/token-file.ts';
import { dampingModels } from '../core/decide/damping.ts';
import { changesLeft } from '../core/decide/flap-budget.ts';
import { listenControl } from '../host/control-socket.ts';
import { packageVersion } from '../host/package-version.ts';
import { applyRoutes } from '../http/apply-routes.ts';
import { eventRoutes } from '../http/events.ts';
import { historyRoutes } from '../http/history.ts';
import { metricsRoutes } from '../http/metrics/route.ts';
import { operatorRoutes } from '../http/operator-routes.ts';
import { pageRoutes } from '../http/page/routes.ts';
import { recordRoutes } from '../http/record.ts';
import { seriesRoutes } from '../http/series.ts';
import { type HttpServer, startHttp } from '../http/server.ts';
import { uplinkRoutes } from '../http/uplink-routes.ts';
import type { StatusDocument } from '../types/wire/status.ts';
import { monotonicNow, wallTimeNow } from './clock.ts';
import { explanationsOf } from './explanations.ts';
import { guardStatus } from './guard-status.ts';
import type { Parts } from './parts.ts';
import { proberStatus } from './prober-status.ts';
import { seriesAt } from './series.ts';
import { statusDocumentOf } from './status-document.ts';

/** Starts all listeners, or throws the error of the first that fails. */
export function serve(parts: Parts): Promise<HttpServer> {
  const { tools, world, probing, last, history, metering, turns, witnesses, desk, applyDesk } = parts;
  const { config } = tools;
  const { meters } = metering.metrics;
  return startHttp({
    ...config.http,
    listeners: [(accept) => listenControl({ path: config.paths.control, accept })],
    status: statusReader(parts),
    stamp: () => [last.report, world.overrides, world.operator.freeze],
    turns,
    routes: [
      historyRoutes(history),
      eventRoutes(history, meters.followers),
      metricsRoutes(metering.metrics),
      recordRoutes(witnesses),
      seriesRoutes((start) => seriesAt(probing.series(), start, monotonicNow(), Date.now())),
      pageRoutes(),
      operatorRoutes(desk.commands),
      applyRoutes((request, say) => applyDesk.apply(request, say)),
      uplinkRoutes((uplink) => explanationsOf(last.report, world.operator.decided, world.decide, uplink)),
    ],
    checkToken: (token) => checkToken(tools.config.http.tokenFile, token),
    answered: meters.answered,
    version: packageVersion(),
  });
}

/** Makes the status document of now. */
function statusReader(parts: Parts): () => StatusDocument {
  const { tools, world, probing, last, witnesses, companions, beyond, retransmissions } = parts;
  const { edge, fleet, telling } = companions;
  const { alarms, narrator, readiness } = tools;
  const startedAt = wallTimeNow();
  return () =>
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
      retransmissions: (uplink, family) => retransmissions.share(uplink, family),
      prober: proberStatus(probing.prober()),
      alarms: alarms.list(),
      services: readiness.status(),
      overrides: [...world.overrides, ...world.operator.maintenance],
      freeze: world.operator.freeze,
      guards: guardStatus(tools.config.guards, world.decide, monotonicNow()),
      transitions: narrator.transitions(),
      actions: narrator.actions(),
      edge: edge.status(),
      fleet: fleet.status(),
      shadow: witnesses.shadow(),
      telling: telling.status(),
    });
}
