/** What is measured and refreshed beside the decisions, put together from the files: nothing of it is on the way of a removal. */
import { join } from 'node:path';
import { type Address, parseAddress } from '../address.ts';
import type { Files } from '../service/files.ts';
import type { GeoDnsService } from '../service/service.ts';
import { StatisticsBook } from '../statistics/book.ts';
import { Collector } from '../steering/collector.ts';
import { limitsOf } from '../steering/config.ts';
import { Intake } from '../steering/intake.ts';
import { Steerer } from '../steering/steerer.ts';
import { Refresher } from './refresher.ts';

export interface DataParts {
  readonly statistics: StatisticsBook;
  readonly collector: Collector;
  readonly steerer: Steerer;
  /** null: `rum` is not in geodns.yaml. */
  readonly rum: Rum | null;
  /** null: `refresh` is not in geodns.yaml. */
  readonly refresher: Refresher | null;
}

export interface Rum {
  readonly intake: Intake;
  /** Beacons without a token are taken. */
  readonly isOpen: boolean;
  readonly proxies: readonly Address[];
}

export interface DataLog {
  readonly info: (data: Readonly<Record<string, unknown>>, message: string) => void;
  readonly warn: (data: Readonly<Record<string, unknown>>, message: string) => void;
  readonly error: (data: Readonly<Record<string, unknown>>, message: string) => void;
}

/** `ask`: asks the sites about these users from now on. Nothing runs before `startData`. */
export async function openData(
  files: Files,
  service: GeoDnsService,
  ask: (users: readonly Address[]) => void,
  log: DataLog,
): Promise<DataParts> {
  const { config, sites } = files;
  const now = (): number => service.parts.nowMillis();
  const folder = join(config.state, 'statistics');
  const statistics = await StatisticsBook.open(folder, config.statistics.keep_days, log, now());
  const collector = new Collector();
  const steerer = new Steerer(service, collector, limitsOf(config.steering), log);
  const { rum, refresh } = config;
  const intake =
    rum === undefined
      ? null
      : new Intake(
          rum,
          collector,
          () => service.parts,
          (one, nowMillis) => statistics.measured(one, nowMillis),
        );
  const refresher =
    refresh === undefined
      ? null
      : new Refresher({
          config: refresh,
          own: config.mmdb,
          rules: config.rules,
          networks: config.networks,
          sites,
          service,
          ask,
          log,
        });
  return {
    statistics,
    collector,
    steerer,
    rum:
      rum === undefined || intake === null
        ? null
        : {
            intake,
            isOpen: rum.open,
            proxies: rum.proxies.map(parseAddress).filter((one): one is Address => one !== undefined),
          },
    refresher,
  };
}

/** Once the service publishes. */
export async function startData(
  { statistics, steerer, refresher }: DataParts,
  service: GeoDnsService,
): Promise<void> {
  statistics.start(() => service.parts.nowMillis());
  steerer.start();
  await refresher?.start();
}

export async function stopData(
  { statistics, steerer, refresher }: DataParts,
  service: GeoDnsService,
): Promise<void> {
  await Promise.all([refresher?.stop(), steerer.stop()]);
  await statistics.stop(service.parts.nowMillis());
}
