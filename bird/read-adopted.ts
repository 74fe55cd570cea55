/** What adopted sessions export of the services' prefixes, since no announce_ protocol of theirs could tell. */
import type { BirdSeen } from '../src/types/bird-view.ts';
import type { Service } from '../src/types/config.ts';
import { announcementKey } from '../src/types/keys.ts';
import type { SeenState } from '../src/types/wire/enums.ts';
import type { Adopted } from './adopt.ts';
import type { BirdClient } from './client.ts';
import { type ExportedSeen, readExported } from './read-routes.ts';

/** GRACEFUL_SHUTDOWN, RFC 8326. */
const gshut = '65535:0';

/** By announcementKey. One command for each prefix of a session that is up. Throws BirdError. */
export async function readAdoptedExports(
  client: BirdClient,
  seen: BirdSeen,
  adopted: readonly Adopted[],
  services: readonly Service[],
): Promise<ReadonlyMap<string, SeenState>> {
  const states = new Map<string, SeenState>();
  for (const { uplink, family, name } of adopted) {
    const shown = seen.protocols.get(name);
    if (shown?.proto !== 'BGP') continue;
    const isUp = shown.state === 'up' && shown.info === 'Established';
    for (const service of services) {
      const prefixes = service.prefixes.filter((prefix) => prefix.family === family);
      const found: ExportedSeen[] = [];
      for (const { text } of prefixes) found.push(await readExported(client, name, text, isUp));
      if (found.length > 0) states.set(announcementKey(uplink, service.name, family), stateOf(found));
    }
  }
  return states;
}

/** Of all prefixes of a service together: where they differ, no word fits them all. */
function stateOf(found: readonly ExportedSeen[]): SeenState {
  const words = new Set(found.map((one) => wordOf(one)));
  const [word] = words;
  return word === undefined || words.size > 1 ? 'unknown' : word;
}

function wordOf(seen: ExportedSeen): SeenState {
  switch (seen.kind) {
    case 'session-down':
      return 'session-down';
    case 'not-exported':
      return 'absent';
    case 'exported':
      return seen.route.communities.includes(gshut) ? 'drained' : 'exported';
  }
}
