/** What each tool goes through, judged at the carriers alone. IPv4; a tool that does not act in time did not act. */
import { blackHole, loss, targetDead } from '../../lab/faults/packet-filter.ts';
import { targets } from '../../lab/network/addresses.ts';
import { carrierNames } from '../../lab/network/names.ts';
import { waitUntil } from '../../lab/network/wait.ts';
import { count, isFull, isLost, isOf, pass, secondsUntil } from './heard.ts';
import type { PeerStand } from './stand.ts';
import type { RunningTool } from './tool.ts';

/** Figures of one tool; null: it did not happen in the time that was watched. */
export interface Figures {
  /** From the black hole until the carrier lost the route, once for each round. */
  readonly withdrawSeconds: readonly (number | null)[];
  /** From the end of the last black hole until the carrier has the route as it was before, not merely drained. */
  readonly returnSeconds: number | null;
  /** UPDATEs at the carrier from the last black hole until then. */
  readonly holeUpdates: number;
  /** Withdrawals, announcements and lost sessions at the two carriers that nothing was wrong with. */
  readonly collateral: number;
  readonly lossySeconds: number | null;
  readonly lossyUpdates: number;
  /** Routes that carriers lost in the minute in which one of ten targets was dead. */
  readonly falseWithdrawals: number;
  /** Carriers that still had the route after all three were dead for a while. */
  readonly keptWhenAllFail: number;
  /** Sessions that fell in all this, while the tool lived. */
  readonly sessionsLost: number;
  /** Carriers that lost the route when the tool was killed in health. */
  readonly lostByDeath: number;
}

/** What is watched for how long. The slowest rule here needs five rounds of 26 s for a verdict. */
export const watched = { withdrawSeconds: 180, returnSeconds: 300, minuteSeconds: 60, allFailSeconds: 150 };
/** The longest pause between two looks of any of these tools: faults begin at even places within it. */
const longestPaceMillis = 10_000;

export async function playCases(
  stand: PeerStand,
  begin: () => Promise<RunningTool>,
  { rounds, say }: { readonly rounds: number; readonly say: (text: string) => void },
): Promise<Figures> {
  let sessionsLost = 0;
  const played = <T>(title: string, play: () => Promise<T>): Promise<T> =>
    withTool(stand, begin, async (tool) => {
      say(title);
      const from = stand.wire.events().length;
      const found = await play();
      if (!tool.isRunning()) throw new Error(`it ended by itself; its log is in ${stand.network.folder}`);
      sessionsLost += count(stand, from, (event) => event.kind === 'session' && !event.up);
      return found;
    });
  const holes = [];
  for (let round = 0; round < rounds; round += 1) {
    const phaseMillis = (round / rounds) * longestPaceMillis;
    holes.push(
      await played('black hole behind CMI', () => playHole(stand, phaseMillis, round === rounds - 1)),
    );
  }
  const last = holes.at(-1);
  const lossy = await played('20 % loss behind CMI', () => playLossy(stand));
  const falseWithdrawals = await played('one of ten targets dead', () => playTargetDead(stand));
  const keptWhenAllFail = await played('all three carriers dead', () => playAllFail(stand));
  say('kill -9 of the tool');
  const lostByDeath = await withTool(stand, begin, (tool) => playDeath(stand, tool));
  return {
    withdrawSeconds: holes.map((hole) => hole.withdrawSeconds),
    returnSeconds: last?.returnSeconds ?? null,
    holeUpdates: last?.updates ?? 0,
    collateral: holes.reduce((sum, hole) => sum + hole.collateral, 0),
    ...lossy,
    falseWithdrawals,
    keptWhenAllFail,
    sessionsLost,
    lostByDeath,
  };
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
    { timeoutMillis: 120_000, everyMillis: 200 },
  );
}

async function playHole(stand: PeerStand, phaseMillis: number, withReturn: boolean) {
  await pass(phaseMillis);
  const from = stand.wire.events().length;
  const fault = blackHole({ carrier: 'cmi' });
  const began = Date.now();
  await fault.apply(stand.network);
  const withdrawSeconds = await secondsUntil(stand, { from, began, limit: watched.withdrawSeconds }, isLost);
  const mendedAt = Date.now();
  await fault.mend(stand.network);
  const returnSeconds =
    withdrawSeconds === null || !withReturn
      ? null
      : await secondsUntil(stand, { from, began: mendedAt, limit: watched.returnSeconds }, isFull);
  const updates = count(stand, from, (event) => isOf(event, 'cmi') && event.kind !== 'session');
  const collateral = count(
    stand,
    from,
    (event) => event.family === 4 && event.carrier !== 'cmi' && (isLost(event) || event.kind === 'announced'),
  );
  return { withdrawSeconds, returnSeconds, updates, collateral };
}

async function playLossy(stand: PeerStand) {
  const from = stand.wire.events().length;
  // One direction, so that one probe in five is lost, as the words say.
  const fault = loss({ carrier: 'cmi', direction: 'out' }, 20);
  const began = Date.now();
  await fault.apply(stand.network);
  await pass(watched.minuteSeconds * 1000);
  const own = stand.wire
    .events()
    .slice(from)
    .filter((event) => isOf(event, 'cmi'));
  const first = own.find(isLost);
  return {
    lossySeconds: first === undefined ? null : (first.at - began) / 1000,
    lossyUpdates: own.filter(({ kind }) => kind !== 'session').length,
  };
}

/** The target that is dead is the first, which is the only one that a tool with a single target knows. */
async function playTargetDead(stand: PeerStand): Promise<number> {
  const [first] = targets;
  if (first === undefined) throw new Error('the lab has no targets');
  const from = stand.wire.events().length;
  await targetDead(first.address).apply(stand.network);
  await pass(watched.minuteSeconds * 1000);
  return count(stand, from, (event) => event.family === 4 && isLost(event));
}

async function playAllFail(stand: PeerStand): Promise<number> {
  await Promise.all(carrierNames.map((carrier) => blackHole({ carrier }).apply(stand.network)));
  await pass(watched.allFailSeconds * 1000);
  return (await stand.holders()).length;
}

async function playDeath(stand: PeerStand, tool: RunningTool): Promise<number> {
  if (!tool.isRunning()) throw new Error('it ended before it was killed');
  await tool.kill();
  await pass(15_000);
  return carrierNames.length - (await stand.holders()).length;
}
