/** What a session exports, asked prefix by prefix: a look at one network costs BIRD nothing, however large its tables are. */
import { BirdError } from './bird-error.ts';
import type { BirdClient } from './client.ts';
import { quoteName } from './commands.ts';
import { parseRouteCount, type TableCount } from './parse/route-count.ts';
import { parseRoutes, type RouteSeen, type RoutesRead } from './parse/routes.ts';

/** session-down: BIRD exports nothing on it, and does not say what it would. */
export type ExportedSeen =
  | { readonly kind: 'exported'; readonly route: RouteSeen }
  | { readonly kind: 'not-exported' }
  | { readonly kind: 'session-down' };

/**
 * What the export filter of a session lets pass of one prefix. `isUp` says whether the session is: 2.x and 3.x answer with
 * different words, all of them 9001, for one that is down. Throws BirdError.
 */
export async function readExported(
  client: BirdClient,
  session: string,
  prefix: string,
  isUp: boolean,
): Promise<ExportedSeen> {
  if (!isUp) return { kind: 'session-down' };
  const read = await routes(client, `${prefix} export ${quoteName(session)} all`);
  if (read === null) return { kind: 'not-exported' };
  const route = read.routes.find((one) => one.prefix === prefix && one.primary);
  if (route !== undefined) return { kind: 'exported', route };
  if (read.unread.length > 0) throw notUnderstood(read.unread[0]);
  return { kind: 'not-exported' };
}

/** All that a session exports; one command, which walks its whole table. Throws BirdError, 9001 where it is down. */
export async function readAllExported(client: BirdClient, session: string): Promise<readonly RouteSeen[]> {
  const read = await routes(client, `export ${quoteName(session)} all`);
  if (read !== null && read.unread.length > 0) throw notUnderstood(read.unread[0]);
  return read?.routes.filter(({ primary }) => primary) ?? [];
}

/** How many routes each table holds. Throws BirdError. */
export async function readRouteCount(client: BirdClient): Promise<readonly TableCount[]> {
  const reply = await client.command('show route table all count');
  const counts = parseRouteCount(reply);
  if (counts === null) throw notUnderstood(reply.lines[0]?.text);
  return counts;
}

/** null: the network is not in the table (8001), which is an answer. */
async function routes(client: BirdClient, question: string): Promise<RoutesRead | null> {
  try {
    const reply = await client.command(`show route ${question}`);
    const read = parseRoutes(reply);
    if (read === null) throw notUnderstood(reply.lines[0]?.text);
    return read;
  } catch (error) {
    if (error instanceof BirdError && error.replyCode === '8001') return null;
    throw error;
  }
}

function notUnderstood(line: string | undefined): BirdError {
  const text = JSON.stringify((line ?? '').slice(0, 80));
  return new BirdError('bad-reply', `BIRD's reply to show route is not understood: ${text}`);
}
