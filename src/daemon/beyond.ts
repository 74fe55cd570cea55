/** What looking glasses and collectors have of our announcements: asked beside the ticks, shown, and never decided by. */
import { BirdError, openClient } from '../../bird/client.ts';
import { parseRoutes } from '../../bird/parse/routes.ts';
import { askLookingGlass } from '../adapters/looking-glass.ts';
import type { NodeConfig, Service } from '../types/config.ts';
import { announcementKey } from '../types/keys.ts';
import type { LookingGlass } from '../types/looking-glass.ts';
import { families } from '../types/units.ts';
import type { BeyondState } from '../types/wire/enums.ts';

const everyMillis = 30_000;
const timeoutMillis = 5000;

export interface BeyondWatch {
  /** By announcementKey; of uplinks with a looking glass alone. */
  states(): ReadonlyMap<string, BeyondState>;
  stop(): void;
}

/** Asks at once, and then every 30 s after the last answer. `config` is read at each round. */
export function followBeyond(config: () => NodeConfig): BeyondWatch {
  let states: ReadonlyMap<string, BeyondState> = new Map();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const round = async (): Promise<void> => {
    states = await lookBeyond(config());
    if (!stopped) timer = setTimeout(() => void round(), everyMillis).unref();
  };
  void round();
  return {
    states: () => states,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** One round over all uplinks; never rejects: what cannot be asked is `unknown`. */
export async function lookBeyond(config: NodeConfig): Promise<ReadonlyMap<string, BeyondState>> {
  const rounds = config.uplinks.map(async ({ name, lookingGlass }) => {
    if (lookingGlass === undefined) return [];
    return Promise.all(
      announcedOf(config.services).map(async ({ service, family, prefixes }) => {
        const state = await seenBeyond(lookingGlass, prefixes);
        return [announcementKey(name, service, family), state] as const;
      }),
    );
  });
  return new Map((await Promise.all(rounds)).flat());
}

function announcedOf(services: readonly Service[]) {
  return services.flatMap((service) =>
    families.flatMap((family) => {
      const prefixes = service.prefixes.filter((one) => one.family === family).map(({ text }) => text);
      return prefixes.length === 0 ? [] : [{ service: service.name, family, prefixes }];
    }),
  );
}

/** Of all prefixes together: one that is not known makes all of it unknown, and one that is missing not seen. */
async function seenBeyond(glass: LookingGlass, prefixes: readonly string[]): Promise<BeyondState> {
  const found: (readonly string[] | null)[] = [];
  for (const prefix of prefixes) found.push(await networksAt(glass, prefix));
  if (found.some((networks) => networks === null)) return 'unknown';
  return prefixes.every((prefix, index) => found[index]?.includes(prefix) === true) ? 'seen' : 'not-seen';
}

async function networksAt(glass: LookingGlass, prefix: string): Promise<readonly string[] | null> {
  if (glass.kind === 'http') {
    const [address = ''] = prefix.split('/');
    return askLookingGlass(glass.url, address, timeoutMillis);
  }
  const client = openClient({ path: glass.path, timeoutMillis });
  try {
    const read = parseRoutes(await client.command(`show route ${prefix} table all`));
    if (read === null || read.unread.length > 0) return null;
    return read.routes.map((route) => route.prefix);
  } catch (error) {
    if (!(error instanceof BirdError)) throw error;
    // 8001: no table holds it, which is an answer.
    return error.replyCode === '8001' ? [] : null;
  } finally {
    client.close();
  }
}
