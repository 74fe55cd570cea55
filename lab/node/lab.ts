/** A whole lab: network, carriers, node. Starts it, and brings a used one back to where a fresh one stands. */
import type { StatusDocument } from '../../src/types/wire/status.ts';
import { families } from '../../src/types/units.ts';
import { observeCarriers, type Observer } from '../carrier/observer.ts';
import { startCarriers } from '../carrier/router.ts';
import { mendEverything } from '../faults/mend.ts';
import { carrierNames } from '../network/names.ts';
import { attachNetwork, startNetwork, type Network } from '../network/network.ts';
import { waitUntil } from '../network/wait.ts';
import { askNodeBird, startNodeBird, stopNodeBird } from './bird.ts';
import type { NodeOptions } from './config.ts';
import { startHaproxy } from './haproxy.ts';
import {
  applyRouting,
  forgetState,
  readStatus,
  startDaemon,
  stopDaemon,
  writeNodeConfig,
  writeOwnedFile,
} from './program.ts';

export interface Lab {
  readonly network: Network;
  readonly observer: Observer;
  /** Ends what runs and removes all of it. */
  remove(): void;
}

export interface LabOptions {
  readonly node?: NodeOptions;
  /** Binary of the node’s BIRD; the carriers run the system’s, whose log the wire log reads. */
  readonly bird?: string;
  /** Told what is being done. */
  readonly say?: (text: string) => void;
}

/** Starts everything up to the daemon; it does not wait for health. */
export async function startLab(id: string, options: LabOptions = {}): Promise<Lab> {
  const say = options.say ?? (() => undefined);
  say('network: one node, three carriers, one internet');
  const network = await startNetwork(id);
  try {
    await startCarriers(network);
    writeNodeConfig(network, options.node ?? {});
    say('node: policy routing by `causeway routing`, BIRD’s file by `causeway render --write`');
    await Promise.all([applyRouting(network), writeOwnedFile(network)]);
    await startNodeBird(network, options.bird);
    const observer = observeCarriers(network);
    say('waiting for six BGP sessions');
    await waitUntil('six established sessions', () => sessionsUp(observer), { timeoutMillis: 40_000 });
    if (options.node?.readiness !== undefined) await startHaproxy(network);
    say('daemon: `causeway run`');
    if (options.node?.proxy !== true) await startDaemon(network);
    return labOf(network, observer);
  } catch (error) {
    network.remove();
    throw error;
  }
}

/** A lab that another process runs. */
export function attachLab(id: string): Lab {
  const network = attachNetwork(id);
  return labOf(network, observeCarriers(network));
}

function labOf(network: Network, observer: Observer): Lab {
  return {
    network,
    observer,
    remove() {
      observer.close();
      network.remove();
    },
  };
}

/** Mends all faults, forgets all verdicts and hands, and starts the daemon anew with these options. */
export async function startAnew(lab: Lab, node: NodeOptions): Promise<void> {
  const { network, observer } = lab;
  await stopDaemon(network, 'SIGKILL');
  await mendEverything(network);
  forgetState(network);
  writeNodeConfig(network, node);
  await writeOwnedFile(network);
  if (await birdRuns(network)) await askNodeBird(network, 'configure');
  else {
    await stopNodeBird(network, 'SIGKILL');
    await startNodeBird(network);
  }
  await waitUntil('six established sessions', () => sessionsUp(observer), { timeoutMillis: 60_000 });
  if (node.readiness !== undefined) await startHaproxy(network);
  if (node.proxy !== true) await startDaemon(network);
}

async function birdRuns(network: Network): Promise<boolean> {
  try {
    await askNodeBird(network, 'show status');
    return true;
  } catch {
    return false;
  }
}

export async function sessionsUp(observer: Observer): Promise<boolean> {
  const views = await observer.views();
  return carrierNames.every((name) => families.every((family) => views[name].sessions[family].established));
}

/** Waits until the daemon calls all uplinks healthy and all carriers hold all routes, undrained. */
export async function waitHealthy(lab: Lab, timeoutMillis = 60_000): Promise<void> {
  await waitUntil('three healthy uplinks', () => isHealthy(lab), { timeoutMillis, everyMillis: 100 });
}

export async function isHealthy(lab: Lab): Promise<boolean> {
  const status = await readStatus(lab.network);
  return status !== null && isContent(status) && (await carriersHoldAll(lab.observer));
}

/**
 * Waits for the first UPDATEs after a start: a session is Established a moment before it has carried them. Its error
 * names who lacks what, as `cmi IPv4: no session`.
 */
export async function waitAnnounced({ observer }: Pick<Lab, 'observer'>): Promise<void> {
  await waitUntil(
    'all carriers to hold all routes',
    async () => {
      const missing = await missingRoutes(observer);
      if (missing.length > 0) throw new Error(missing.join(', '));
      return true;
    },
    { timeoutMillis: 60_000 },
  );
}

async function carriersHoldAll(observer: Observer): Promise<boolean> {
  return (await missingRoutes(observer)).length === 0;
}

async function missingRoutes(observer: Observer): Promise<string[]> {
  const views = await observer.views();
  return carrierNames.flatMap((name) =>
    families.flatMap((family) => {
      const { sessions, routes } = views[name];
      const missing = missingRoute(sessions[family].established, routes[family]?.path.length ?? null);
      return missing === null ? [] : [`${name} IPv${family}: ${missing}`];
    }),
  );
}

function missingRoute(established: boolean, hops: number | null): string | null {
  if (!established) return 'no session';
  if (hops === null) return 'no route';
  return hops === 1 ? null : `a path of ${hops}`;
}

/** All healthy, all announced, nothing held, forced or alarming. */
function isContent(status: StatusDocument): boolean {
  if (status.overrides.length > 0 || status.alarms.length > 0) return false;
  return status.uplinks.every((uplink) =>
    [uplink.families['4'], uplink.families['6']].every(
      (family) =>
        family !== undefined &&
        family.health === 'healthy' &&
        family.announcements.every(
          ({ wish, held, file }) => wish === 'announce' && held === null && file === 'as-wished',
        ),
    ),
  );
}
