/** All parts of the daemon, made and joined; nothing is probed or sent before the first round. */
import type { Logger } from 'pino';
import { adoptWorld } from './adopt-world.ts';
import { Applier } from './applier.ts';
import { type ApplyDesk, openApplyDesk } from './apply-desk.ts';
import { statesFor } from './states-for.ts';
import { openFreezeFile } from './freeze-file.ts';
import { healthAfter } from './health-after.ts';
import { openCalendar } from './maintenance.ts';
import { type Loop, openLoop } from './loop.ts';
import { openDesk, type OperatorDesk } from './operators.ts';
import type { OperatorScene } from './operator-scene.ts';
import { type OperatorWords, operatorWords } from './operator-words.ts';
import { openReloader } from './reload.ts';
import { followRetransmissions, type RetransmissionWatch } from './retransmission-watch.ts';
import { holdSettings, type SettingsHolder } from './settings.ts';
import { followTraffic, type TrafficWatch } from './traffic-watch.ts';
import { openBird } from '../../bird/open.ts';
import { openTurns, type Turns } from '../http/turns.ts';
import type { NodeConfig } from '../types/config.ts';
import { Alarms } from './alarms.ts';
import { type BeyondWatch, followBeyond } from './beyond.ts';
import { openBirdLook } from './bird-look.ts';
import { openStateFolder } from './checkpoint.ts';
import { monotonicNow, wallTimeNow } from './clock.ts';
import { type Companions, openCompanions } from './companions.ts';
import { type FileKeeper, keepFile } from './file-keeper.ts';
import type { FleetOrders } from './fleet-orders.ts';
import { type History, openDaemonHistory } from './history.ts';
import { type Metering, openMetering } from './metering.ts';
import { Narrator } from './narrator.ts';
import { openOverrideStore, type OverrideStore } from './override-store.ts';
import { type Probing, startProbing } from './probing.ts';
import { startReadiness } from './readiness.ts';
import { supervised, type Supervision } from './supervision.ts';
import type { TickReport, TickTools, World } from './tick.ts';
import { openWitnesses, type Witnesses } from './witnesses.ts';

/** Traffic is averaged over this, for the guard that watches capacity. */
const trafficMillis = 10_000;
/** A hand acts in BIRD already; the tick waits no longer than this for the disk to keep it. */
const handWaitMillis = 50;
/** A BIRD that does not answer within this is unreachable for now. */
const birdTimeoutMillis = 1000;

/** Where the config came from, and who says that it is to be read again. */
export interface ConfigSource {
  /** null: it cannot be read again. */
  readonly file: string | null;
  readonly onHangup: (reload: () => void) => void;
}

export interface Parts {
  readonly settings: SettingsHolder;
  readonly tools: TickTools;
  readonly world: World;
  readonly last: { report: TickReport | null };
  readonly probing: Probing;
  readonly traffic: TrafficWatch;
  readonly retransmissions: RetransmissionWatch;
  readonly beyond: BeyondWatch;
  readonly history: History;
  readonly metering: Metering;
  /** In which HTTP does what clients ask. */
  readonly turns: Turns;
  readonly witnesses: Witnesses;
  readonly companions: Companions;
  readonly desk: OperatorDesk;
  readonly applier: Applier;
  readonly applyDesk: ApplyDesk;
  readonly loop: Loop;
  /** Ends what runs beside the ticks. */
  close(): Promise<void>;
}

export async function openParts(
  config: NodeConfig,
  log: Logger,
  source: ConfigSource,
  supervision: Supervision,
): Promise<Parts> {
  const settings = holdSettings(config);
  const folder = openStateFolder(config.paths.state, (text, error) => log.error({ err: error }, text));
  const overrideStore = openOverrideStore(config.paths.state);
  const history = await openDaemonHistory(config.paths.state);
  const metering = openMetering(history, monotonicNow);
  const file = keepFile(config.bird.config, metering.wroteFile);
  const applier: Applier = applierOf(settings, file, log, history, (next) => statesIn(world, next));
  // Before anything else: a base that a forerunner left unconfirmed is put back.
  await applier.recover();
  const world: World = await adoptWorld(settings.now(), folder, overrideStore, file);
  const client = openBird(config.bird, { timeoutMillis: birdTimeoutMillis });
  const traffic = followTraffic(settings);
  const retransmissions = followRetransmissions(settings);
  const beyond = followBeyond(() => settings.now().config);
  const witnesses = openWitnesses(settings);
  const readiness: TickTools['readiness']['facts'] = () => tools.readiness.facts();
  const companions = await openCompanions({ settings, world, readiness, log, tell: history.tell });
  const tools: TickTools = toolsOf(settings, log, history, {
    client,
    bird: metering.timed(openBirdLook(client, monotonicNow)),
    file,
    gate: applier,
    witnesses: witnesses.all,
    traffic: () => traffic.rates(trafficMillis),
    fleet: () => companions.fleet.words(),
    dnsFirst: () => companions.telling.dnsFirst(),
    keepOverrides: async (kept) => void (await overrideStore.save(kept, handWaitMillis)),
  });
  const last: { report: TickReport | null } = { report: null };
  const probing = startProbing(config, settings.now().tasks, log, companions.edge.samples);
  const words = operatorWords(log, history.tell);
  const desk = deskOf(settings, world, overrideStore, source, words, supervision, companions.fleet.orders);
  followSettings(settings, world, tools, probing);
  const turns = openTurns();
  const core = { tools, world, probing, desk, last, turns, metering };
  const beside = { traffic, retransmissions, beyond, history, witnesses, companions, probing };
  const loop = openLoop({
    ...core,
    folder,
    alarms: () => [history, witnesses, applier, companions].flatMap((part) => part.alarms()),
    afterTick: (report) => companions.after(report, tools.alarms.list()),
  });
  return {
    ...core,
    ...beside,
    settings,
    applier,
    applyDesk: openApplyDesk(source.file, settings, applier, desk, companions.fleet),
    loop,
    close: () => closeAll({ ...beside, tools }),
  };
}

function applierOf(
  settings: SettingsHolder,
  file: FileKeeper,
  log: Logger,
  { tell }: History,
  nextStates: (next: NodeConfig) => ReturnType<typeof statesFor>,
): Applier {
  const config = (): NodeConfig => settings.now().config;
  return new Applier({ config, file, log, tell, now: monotonicNow, statesFor: nextStates });
}

/** Of another config, from what the last tick decided. */
function statesIn({ operator, decide }: World, next: NodeConfig): ReturnType<typeof statesFor> {
  return operator.decided === null ? new Map() : statesFor(next, operator.decided, decide);
}

/** What follows from another config, between two ticks. */
function followSettings(settings: SettingsHolder, world: World, tools: TickTools, probing: Probing): void {
  settings.onChange(({ config: next, tasks }) => {
    world.health = healthAfter(world.health, settings.now());
    tools.readiness.use(next.services);
    probing.use(next, tasks);
  });
}

async function closeAll({
  tools,
  traffic,
  retransmissions,
  beyond,
  history,
  witnesses,
  companions,
  probing,
}: Pick<
  Parts,
  'tools' | 'traffic' | 'retransmissions' | 'beyond' | 'history' | 'witnesses' | 'companions' | 'probing'
>): Promise<void> {
  traffic.stop();
  retransmissions.stop();
  beyond.stop();
  tools.readiness.stop();
  tools.client.close();
  await companions.close();
  await history.close();
  await witnesses.close();
  await probing.stop();
}

/** The config and what follows from it are read at each use: a reload replaces them. */
function toolsOf(
  settings: SettingsHolder,
  log: Logger,
  history: History,
  given: Pick<
    TickTools,
    'client' | 'bird' | 'file' | 'gate' | 'witnesses' | 'traffic' | 'fleet' | 'dnsFirst' | 'keepOverrides'
  >,
): TickTools {
  return {
    ...given,
    get config() {
      return settings.now().config;
    },
    get tasks() {
      return settings.now().tasks;
    },
    get waitMillis() {
      return settings.now().waitMillis;
    },
    narrator: new Narrator(log, history.tell),
    alarms: new Alarms(log, history.tell),
    readiness: startReadiness(settings.now().config, monotonicNow),
    now: monotonicNow,
    wallTime: wallTimeNow,
  };
}

function deskOf(
  settings: SettingsHolder,
  world: World,
  store: OverrideStore,
  source: ConfigSource,
  words: OperatorWords,
  supervision: Supervision,
  fleet: FleetOrders | null,
): OperatorDesk {
  const { state } = settings.now().config.paths;
  const scene: OperatorScene = {
    config: () => settings.now().config,
    world,
    store,
    freezeFile: openFreezeFile(state),
    calendar: openCalendar(() => settings.now().config.maintenance),
    words,
    fleet,
    now: monotonicNow,
    wallTime: wallTimeNow,
  };
  const desk = openDesk(scene, supervised(openReloader(source.file, settings, words), supervision));
  source.onHangup(
    () => void desk.commands.reload({ author: 'SIGHUP', dryRun: false }).catch(() => undefined),
  );
  return desk;
}
