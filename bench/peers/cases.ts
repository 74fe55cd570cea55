/** What each tool goes through, judged at the carriers alone. IPv4; a tool that does not act in time did not act. */
import { blackHole, loss, targetDead } from '../../lab/faults/packet-filter.ts';
import type { Fault } from '../../lab/faults/fault.ts';
import type { WireEvent } from '../../lab/carrier/wire-log.ts';
import { targets } from '../../lab/network/addresses.ts';
import { carrierNames } from '../../lab/network/names.ts';
import { waitUntil } from '../../lab/network/wait.ts';
import type { PeerStand } from './stand.ts';
import type { RunningTool } from './tool.ts';

/** Figures of one tool; null: it did not happen in the time that was watched. */
export interface Figures {
  readonly withdrawSeconds: number | null;
  readonly returnSeconds: number | null;
  /** UPDATEs and session losses at the two carriers that nothing was wrong with. */
  readonly collateral: number;
  readonly lossySeconds: number | null;
  /** UPDATEs at the carrier with 20 % loss in a minute. */
  readonly lossyUpdates: number;
  /** Withdrawals in a minute in which one of ten targets was dead. */
  readonly falseWithdrawals: number;
  /** Carriers that still had the route after a minute without any of the three. */
  readonly keptWhenAllFail: number;
  /** Carriers that lost the route when the tool was killed in health. */
  readonly lostByDeath: number;
  /** Sessions that fell, in all of it. */
  readonly sessionsLost: number;
}

const watchMillis = 60_000;
/** The longest way back of these tools: clean and hold of the defaults. */
const returnMillis = 180_000;

export async function playCases(
  stand: PeerStand,
  begin: () => Promise<RunningTool>,
  say: (text: string) => void,
): Promise<Figures> {
  let sessionsLost = 0;
  const played = async <T>(play: (tool: RunningTool) => Promise<T>): Promise<T> =>
    withTool(stand, begin, async (tool) => {
      const from = stand.wire.events().length;
      const found = await play(tool);
      sessionsLost += count(stand, from, (event) => event.kind === 'session' && !event.up);
      return found;
    });
  const hole = await played(() => playHole(stand, say));
  const lossy = await played(() => playLossy(stand, say));
  const falseWithdrawals = await played(() => playTargetDead(stand, say));
  const keptWhenAllFail = await played(() => playAllFail(stand, say));
  const lostByDeath = await played((tool) => playDeath(stand, tool, say));
  return { ...hole, ...lossy, falseWithdrawals, keptWhenAllFail, lostByDeath, sessionsLost };
}

async function withTool<T>(
  stand: PeerStand,
  begin: () => Promise<RunningTool>,
  play: (tool: RunningTool) => Promise<T>,
): Promise<T> {
  await stand.makeReady();
  const tool = await begin();
  try {
    await settled(stand);
    return await play(tool);
  } finally {
    await tool.stop();
  }
}

/** All carriers hold the route, and have for as long as the slowest tool needs for its first verdicts. */
async function settled(stand: PeerStand): Promise<void> {
  let since = performance.now();
  await waitUntil(
    'the route to stand at all carriers for 15 s',
    async () => {
      if ((await stand.holders()).length < carrierNames.length) since = performance.now();
      return performance.now() - since > 15_000;
    },
    { timeoutMillis: returnMillis, everyMillis: 200 },
  );
}

async function playHole(stand: PeerStand, say: (text: string) => void) {
  say('black hole behind CMI');
  const from = stand.wire.events().length;
  const fault = blackHole({ carrier: 'cmi' });
  const withdrawSeconds = await untilHeld(stand, fault, false, 2 * watchMillis);
  say('mended');
  const returnSeconds = withdrawSeconds === null ? null : await untilHeld(stand, fault, true, returnMillis);
  await fault.mend(stand.network);
  const collateral = count(stand, from, ({ carrier, family }) => carrier !== 'cmi' && family === 4);
  return { withdrawSeconds, returnSeconds, collateral };
}

async function playLossy(stand: PeerStand, say: (text: string) => void) {
  say('20 % loss behind CMI, a minute');
  const from = stand.wire.events().length;
  const fault = loss({ carrier: 'cmi' }, 20);
  const began = Date.now();
  await fault.apply(stand.network);
  await pass(watchMillis);
  const own = stand.wire
    .events()
    .slice(from)
    .filter(({ carrier, family }) => carrier === 'cmi' && family === 4);
  await fault.mend(stand.network);
  const first = own.find(({ kind }) => kind === 'withdrawn');
  return {
    lossySeconds: first === undefined ? null : (first.at - began) / 1000,
    lossyUpdates: own.filter(({ kind }) => kind !== 'session').length,
  };
}

async function playTargetDead(stand: PeerStand, say: (text: string) => void): Promise<number> {
  say('one of ten targets dead, a minute');
  const [first] = targets;
  if (first === undefined) throw new Error('the lab has no targets');
  const from = stand.wire.events().length;
  const fault = targetDead(first.address);
  await fault.apply(stand.network);
  await pass(watchMillis);
  await fault.mend(stand.network);
  return count(stand, from, ({ kind, family }) => kind === 'withdrawn' && family === 4);
}

async function playAllFail(stand: PeerStand, say: (text: string) => void): Promise<number> {
  say('all three carriers dead, a minute');
  const faults = carrierNames.map((carrier) => blackHole({ carrier }));
  for (const fault of faults) await fault.apply(stand.network);
  await pass(watchMillis);
  const kept = (await stand.holders()).length;
  for (const fault of faults) await fault.mend(stand.network);
  return kept;
}

async function playDeath(stand: PeerStand, tool: RunningTool, say: (text: string) => void): Promise<number> {
  say('kill -9 of the tool');
  await tool.kill();
  await pass(15_000);
  return carrierNames.length - (await stand.holders()).length;
}

/** Seconds from the fault (or its end) until CMI holds the route, or no longer does; null: not in this time. */
async function untilHeld(
  stand: PeerStand,
  fault: Fault,
  held: boolean,
  timeoutMillis: number,
): Promise<number | null> {
  const from = stand.wire.events().length;
  const began = Date.now();
  await (held ? fault.mend(stand.network) : fault.apply(stand.network));
  const wanted: WireEvent['kind'] = held ? 'announced' : 'withdrawn';
  const found = (): WireEvent | undefined =>
    stand.wire
      .events()
      .slice(from)
      .find(({ carrier, family, kind }) => carrier === 'cmi' && family === 4 && kind === wanted);
  try {
    const event = await waitUntil(`cmi ${wanted}`, () => found(), { timeoutMillis, everyMillis: 50 });
    return (event.at - began) / 1000;
  } catch {
    return null;
  }
}

function count(stand: PeerStand, from: number, is: (event: WireEvent) => boolean): number {
  return stand.wire.events().slice(from).filter(is).length;
}

/** The time that is watched: the measurement itself, not a wait for something. */
function pass(millis: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, millis);
  });
}
