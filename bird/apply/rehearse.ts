/**
 * The rehearsal of a base (DESIGN 6): BIRD itself computes what each session would export, in the present wish, with
 * everything announced, with everything drained and with everything withdrawn. Every prefix that should be exported on
 * an uplink has to be, and nothing else.
 */
import type { NodeConfig } from '../../src/types/config.ts';
import { announceName, drainName, sessionName } from '../../src/types/protocol-names.ts';
import { families } from '../../src/types/units.ts';
import type { BirdClient } from '../client.ts';
import { type FileStates, readStates, restate } from '../file-states.ts';
import { allPrefixes, announcementsOf, sessionsOf } from '../render/parts.ts';
import { readText } from './bird-text.ts';
import type { ExportsBySession } from './diff.ts';
import { type Exported, readRoutes } from './exports.ts';
import { rehearsalTable, rehearsalText } from './rehearsal-text.ts';
import { type ScratchOptions, withScratchBird } from './scratch-bird.ts';

export type Rehearsal =
  | { readonly kind: 'as-expected'; readonly exports: ExportsBySession }
  /** Sentences that name the prefix and the uplink. */
  | { readonly kind: 'differs'; readonly problems: readonly string[] };

/** By session and prefix: whether the carrier has to get it drained. */
type Expected = ReadonlyMap<string, ReadonlyMap<string, boolean>>;

interface Act {
  /** For the sentence: `when everything is drained`. */
  readonly when: string;
  readonly announce: 'present' | 'up' | 'down';
  readonly drain: 'present' | 'up' | 'down';
}

const acts: readonly Act[] = [
  { when: 'in the present wish', announce: 'present', drain: 'present' },
  { when: 'when everything is announced', announce: 'up', drain: 'down' },
  { when: 'when everything is drained', announce: 'up', drain: 'up' },
  { when: 'when everything is withdrawn', announce: 'down', drain: 'down' },
];

/** Rehearses a text that was rendered from this config. Throws ScratchError where BIRD does not start, and BirdError. */
export async function rehearse(
  text: string,
  config: NodeConfig,
  options: ScratchOptions,
): Promise<Rehearsal> {
  const states = readStates(text);
  const prefixes = { 4: allPrefixes(config, 4), 6: allPrefixes(config, 6) };
  const sessions = sessionsOf(config).map(({ uplink, family }) => sessionName(uplink.name, family));
  const lacking = sessions.filter((name) => !readText(text).sessions.has(name));
  if (lacking.length > 0)
    return { kind: 'differs', problems: lacking.map((name) => `the text has no session ${name}`) };
  return withScratchBird(rehearsalText(text, prefixes), options, async (client) => {
    let present: ExportsBySession = new Map();
    const problems: string[] = [];
    for (const act of acts) {
      await play(client, act);
      const expected = expectedExports(config, states, act);
      const judge = (exports: ExportsBySession) => compare(config, expected, exports, act.when);
      const exports = await readSettled(client, sessions, (each) => judge(each).length === 0);
      if (act.announce === 'present') present = exports;
      problems.push(...judge(exports));
      if (problems.length > 0) break;
    }
    return problems.length > 0 ? { kind: 'differs', problems } : { kind: 'as-expected', exports: present };
  });
}

/** What a text exports in these states, whatever config it came from. Throws like `rehearse`. */
export async function exportsOf(
  text: string,
  states: FileStates,
  options: ScratchOptions,
): Promise<ExportsBySession> {
  const known = new Set(readStates(text).keys());
  const wished = restate(text, new Map([...states].filter(([name]) => known.has(name))));
  const sessions = [...readText(wished).sessions.keys()];
  return withScratchBird(rehearsalText(wished, null), options, (client) =>
    readSettled(client, sessions, null),
  );
}

async function play(client: BirdClient, { announce, drain }: Act): Promise<void> {
  for (const [pattern, state] of [
    ['announce_*', announce],
    ['drain_*', drain],
  ] as const) {
    if (state === 'present') continue;
    try {
      await client.command(`${state === 'up' ? 'enable' : 'disable'} "${pattern}"`);
    } catch (error) {
      // No protocol of that name: nothing is announced at all, which the comparison tells.
      if (!(error instanceof Error) || !error.message.includes('8003')) throw error;
    }
  }
}

function expectedExports(config: NodeConfig, states: FileStates, { announce, drain }: Act): Expected {
  const expected = new Map<string, Map<string, boolean>>();
  for (const { uplink, family } of sessionsOf(config))
    expected.set(sessionName(uplink.name, family), new Map());
  for (const { uplink, service, family, prefixes } of announcementsOf(config)) {
    const isUp = (name: string, state: Act['announce']): boolean =>
      state === 'present' ? states.get(name)?.disabled === false : state === 'up';
    const drained = isUp(drainName(uplink.name, service.name, family), drain);
    if (!drained && !isUp(announceName(uplink.name, service.name, family), announce)) continue;
    for (const prefix of prefixes) expected.get(sessionName(uplink.name, family))?.set(prefix, drained);
  }
  return expected;
}

const settleMillis = 5000;
const againMillis = 20;

/** BIRD 3 fills tables a moment later: read until it is good twice, or the time is up and it stays as it is. */
async function readSettled(
  client: BirdClient,
  sessions: readonly string[],
  isGood: ((exports: ExportsBySession) => boolean) | null,
): Promise<ExportsBySession> {
  const deadline = performance.now() + settleMillis;
  let [last, alike] = ['', 0];
  for (;;) {
    const exports = new Map<string, Exported>();
    for (const name of sessions)
      exports.set(name, readRoutes(await client.command(`show route table ${rehearsalTable(name)} all`)));
    const shown = JSON.stringify([...exports].map(([name, routes]) => [name, [...routes]]));
    alike = shown === last ? alike + 1 : 0;
    last = shown;
    const isSettled = isGood === null ? alike >= 5 : alike >= 1 && isGood(exports);
    if (isSettled || performance.now() > deadline || alike >= 50) return exports;
    await new Promise((resolve) => {
      setTimeout(resolve, againMillis);
    });
  }
}

/** A sentence for each prefix that is lacking, too much, or not drained where it has to be. */
function compare(
  config: NodeConfig,
  expected: Expected,
  exports: ExportsBySession,
  when: string,
): readonly string[] {
  return config.uplinks.flatMap(({ name: uplink }) =>
    families.flatMap((family) => {
      const session = sessionName(uplink, family);
      const wanted = expected.get(session);
      const routes = exports.get(session);
      if (wanted === undefined || routes === undefined) return [];
      const lacking = [...wanted.keys()].filter((prefix) => !routes.has(prefix));
      const stray = [...routes.keys()].filter((prefix) => !wanted.has(prefix));
      return [
        ...lacking.map(
          (one) => `${one} would not be exported on uplink ${uplink} (${session}) ${when}, and has to be`,
        ),
        ...stray.map(
          (one) => `${one} would be exported on uplink ${uplink} (${session}) ${when}, and must not be`,
        ),
        ...undrained(config, wanted, routes).map(
          ([one, med]) =>
            `${one} would not be drained on uplink ${uplink} (${session}): MED ${med ?? 'none'}, and not ${config.policy.drain.med}`,
        ),
      ];
    }),
  );
}

/** Prefixes that have to be drained and whose MED, beside them, says that they are not: it shows in what the carrier gets. */
function undrained(
  { policy }: NodeConfig,
  wanted: ReadonlyMap<string, boolean>,
  routes: Exported,
): readonly (readonly [string, number | null])[] {
  return [...routes]
    .filter(([prefix, { med }]) => wanted.get(prefix) === true && med !== policy.drain.med)
    .map(([prefix, { med }]) => [prefix, med]);
}
