/**
 * What BIRD does against what an applied text says: its mark, each of its protocols up or down as the states are, the
 * sessions that were up before up again, and on each of them exactly the prefixes of the rehearsal.
 */
import type { BirdSeen, ProtocolSeen } from '../../src/types/bird-view.ts';
import { BirdError } from '../bird-error.ts';
import type { BirdClient } from '../client.ts';
import { markOf } from '../base-mark.ts';
import { type FileStates, readStates } from '../file-states.ts';
import { runningMark } from './configure.ts';
import type { ExportsBySession } from './diff.ts';
import { readRoutes } from './exports.ts';
import type { SessionFact } from './session-effects.ts';

/** The sessions of a view, by name: whether they are up, and what the carrier can do. */
export async function sessionFactsOf(
  client: BirdClient,
  view: BirdSeen,
): Promise<ReadonlyMap<string, SessionFact>> {
  const facts = new Map<string, SessionFact>();
  for (const [name, shown] of view.protocols) {
    if (shown.proto !== 'BGP' || !name.startsWith('bgp_')) continue;
    const established = shown.info === 'Established';
    facts.set(name, { established, routeRefresh: established ? await hasRouteRefresh(client, name) : null });
  }
  return facts;
}

/** What the carrier offered when the session came up (RFC 2918). */
async function hasRouteRefresh(client: BirdClient, name: string): Promise<boolean> {
  const { lines } = await client.command(`show protocols all ${name}`);
  const from = lines.findIndex(({ text }) => text.trim() === 'Neighbor capabilities');
  if (from === -1) return false;
  const indent = indentOf(lines[from]?.text ?? '');
  for (const { text } of lines.slice(from + 1)) {
    if (indentOf(text) <= indent) return false;
    if (/^(?:Enhanced )?route refresh$/i.test(text.trim())) return true;
  }
  return false;
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}

/** Sentences on what is not so yet; empty: all is. `wasUp`: the sessions that were Established before. */
export async function problemsOf(
  client: BirdClient,
  view: BirdSeen,
  text: string,
  states: FileStates,
  exports: ExportsBySession,
  wasUp: ReadonlySet<string>,
): Promise<readonly string[]> {
  if ((await runningMark(client)) !== markOf(text)) return ['BIRD does not run the new text'];
  const problems = [...readStates(text).keys()].flatMap((name) => {
    const shown = view.protocols.get(name);
    if (shown === undefined) return [`BIRD has no protocol ${name}`];
    const disabled = states.get(name)?.disabled ?? false;
    return isDown(shown) === disabled
      ? []
      : [`${name} is ${shown.state}, and should be ${disabled ? 'down' : 'up'}`];
  });
  for (const [name, expected] of exports) {
    const shown = view.protocols.get(name);
    if (shown === undefined || states.get(name)?.disabled === true) continue;
    const established = shown.info === 'Established';
    if (!established && wasUp.has(name))
      problems.push(`${name} is not up again (${shown.info || shown.state})`);
    if (established) problems.push(...(await exportProblems(client, name, new Set(expected.keys()))));
  }
  return problems;
}

function isDown({ state }: ProtocolSeen): boolean {
  return state === 'down' || state === 'stop' || state === 'flush';
}

async function exportProblems(
  client: BirdClient,
  session: string,
  expected: ReadonlySet<string>,
): Promise<readonly string[]> {
  let routes: ReadonlyMap<string, unknown>;
  try {
    routes = readRoutes(await client.command(`show route export ${session}`));
  } catch (error) {
    // 9001: the session went down in between, and a session that is down exports nothing.
    if (error instanceof BirdError && error.code === 'refused') return [`${session} went down`];
    throw error;
  }
  const lacking = [...expected].filter((prefix) => !routes.has(prefix));
  const stray = [...routes.keys()].filter((prefix) => !expected.has(prefix));
  return [
    ...lacking.map((prefix) => `${prefix} is not exported on ${session}`),
    ...stray.map((prefix) => `${prefix} is exported on ${session}, and should not be`),
  ];
}
