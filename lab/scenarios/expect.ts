/** What scenarios assert, each at the carriers' BIRD, their kernels, or the wire. A failure says what was found. */
import { isDeepStrictEqual } from 'node:util';
import { families, type Family } from '../../src/types/units.ts';
import { sameTime, sameView } from '../carrier/compare.ts';
import type { RouteHeld } from '../carrier/replies.ts';
import { nodeAsn } from '../network/addresses.ts';
import { carrierNames, type CarrierName } from '../network/names.ts';
import { staysTrue, waitUntil } from '../network/wait.ts';
import type { Stage } from './stage.ts';
import { wireWords, type WireWord } from './timeline.ts';

export class Unexpected extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Unexpected';
  }
}

export interface Chosen {
  readonly families?: readonly Family[];
  readonly timeoutMillis?: number;
}

/** Waits until a carrier's table and kernel no longer hold the service, and measures how long it took. */
export async function gone(stage: Stage, carrier: CarrierName, chosen: Chosen = {}): Promise<void> {
  await routesBecome(stage, carrier, 'withdraw', (route) => route === null, chosen);
  for (const family of chosen.families ?? families) {
    await waitUntil(
      `the kernel of ${carrier} to lose the IPv${family} route`,
      async () => !(await stage.lab.observer.inKernel(carrier, family)),
    );
  }
}

/** Waits until a carrier holds the service as in quiet times: MED 100, no prepend, no community. */
export async function announced(stage: Stage, carrier: CarrierName, chosen: Chosen = {}): Promise<void> {
  await routesBecome(stage, carrier, 'announce', isPlain, chosen);
  for (const family of chosen.families ?? families) {
    await waitUntil(`the kernel of ${carrier} to hold the IPv${family} route`, () =>
      stage.lab.observer.inKernel(carrier, family),
    );
  }
}

/** Waits until a carrier holds the service drained: MED 65000, three prepends, GRACEFUL_SHUTDOWN. */
export async function drained(stage: Stage, carrier: CarrierName, chosen: Chosen = {}): Promise<void> {
  await routesBecome(stage, carrier, 'drain', isDrained, chosen);
}

export function isPlain(route: RouteHeld | null): boolean {
  return (
    route !== null &&
    route.med === 100 &&
    isDeepStrictEqual(route.path, [nodeAsn]) &&
    route.communities.length === 0
  );
}

export function isDrained(route: RouteHeld | null): boolean {
  const path = [nodeAsn, nodeAsn, nodeAsn, nodeAsn];
  return (
    route !== null &&
    route.med === 65_000 &&
    isDeepStrictEqual(route.path, path) &&
    isDeepStrictEqual(route.communities, ['65535:0'])
  );
}

async function routesBecome(
  stage: Stage,
  carrier: CarrierName,
  word: WireWord,
  isRight: (route: RouteHeld | null) => boolean,
  { families: chosen = families, timeoutMillis = 40_000 }: Chosen,
): Promise<void> {
  const change = stage.lastChange();
  let found = '';
  try {
    await waitUntil(
      `${carrier} to see: ${word}`,
      async () => {
        const { routes } = await stage.lab.observer.view(carrier);
        found = JSON.stringify(routes);
        return chosen.every((family) => isRight(routes[family]));
      },
      { timeoutMillis },
    );
  } catch {
    throw new Unexpected(`after ${timeoutMillis} ms ${carrier} does not see \`${word}\` but ${found}`);
  }
  const last = stage.timeline
    .wire()
    .findLast((event) => event.carrier === carrier && event.at >= change.at && event.kind !== 'session');
  if (last !== undefined) {
    stage.measured.set(`${change.text} → ${carrier} ${word}`, Math.round(last.at - change.at));
  }
}

/** The exact sequence of UPDATEs that a carrier heard since the scenario began, in each family. */
export function heard(
  stage: Stage,
  carrier: CarrierName,
  words: readonly WireWord[],
  chosen: readonly Family[] = families,
): void {
  for (const family of chosen) {
    const found = wireWords(stage.timeline.wire(), carrier, family);
    if (!isDeepStrictEqual(found, words)) {
      throw new Unexpected(
        `${carrier} IPv${family} heard [${found.join(', ')}], expected [${words.join(', ')}]`,
      );
    }
  }
}

/** In no family did a carrier hear one of these since the scenario's last change. */
export function neverHeard(
  stage: Stage,
  carrier: CarrierName,
  words: readonly WireWord[],
  chosen: readonly Family[] = families,
): void {
  const events = stage.timeline.wire().filter((event) => event.at >= stage.lastChange().at);
  for (const family of chosen) {
    const found = wireWords(events, carrier, family);
    if (words.some((word) => found.includes(word))) {
      throw new Unexpected(
        `${carrier} IPv${family} heard [${found.join(', ')}], none of [${words.join(', ')}] allowed`,
      );
    }
  }
}

/** These carriers heard nothing: no UPDATE, no session change; counters, uptime and routes are what they were. */
export async function untouched(stage: Stage, ...carriers: readonly CarrierName[]): Promise<void> {
  const now = await stage.lab.observer.views();
  for (const carrier of carriers) {
    heard(stage, carrier, []);
    if (!sameView(now[carrier], stage.before[carrier])) {
      throw new Unexpected(
        `${carrier} changed: was ${JSON.stringify(stage.before[carrier])}, is ${JSON.stringify(now[carrier])}`,
      );
    }
  }
}

/** Every session is Established since the same time as when the scenario began. */
export async function sessionsLived(
  stage: Stage,
  carriers: readonly CarrierName[] = carrierNames,
): Promise<void> {
  const now = await stage.lab.observer.views();
  for (const carrier of carriers) {
    for (const family of families) {
      const { established, since } = now[carrier].sessions[family];
      const before = stage.before[carrier].sessions[family].since;
      if (!established || !sameTime(since, before)) {
        throw new Unexpected(
          `session of ${carrier} IPv${family}: ${established ? `up since ${since}, was ${before}` : 'down'}`,
        );
      }
    }
  }
}

/** Waits until both sessions of a carrier are Established. */
export async function sessionUp(
  stage: Stage,
  carrier: CarrierName,
  { families: chosen = families, timeoutMillis = 40_000 }: Chosen = {},
): Promise<void> {
  await waitUntil(
    `the sessions of ${carrier}`,
    async () => {
      const { sessions } = await stage.lab.observer.view(carrier);
      return chosen.every((family) => sessions[family].established);
    },
    { timeoutMillis },
  );
}

/** Waits until the sessions of a carrier are down, as the carrier sees it. */
export async function sessionDown(
  stage: Stage,
  carrier: CarrierName,
  { families: chosen = families, timeoutMillis = 10_000 }: Chosen = {},
): Promise<void> {
  await waitUntil(
    `the sessions of ${carrier} to fall`,
    async () => {
      const { sessions } = await stage.lab.observer.view(carrier);
      return chosen.every((family) => !sessions[family].established);
    },
    { timeoutMillis },
  );
}

/** For this long no carrier (of these) hears anything. */
export async function quiet(
  stage: Stage,
  millis: number,
  carriers: readonly CarrierName[] = carrierNames,
): Promise<void> {
  const count = () => stage.timeline.wire().filter((event) => carriers.includes(event.carrier)).length;
  const before = count();
  await staysTrue(millis, () => {
    if (count() !== before) {
      const last = stage.timeline.entries().findLast((entry) => entry.kind === 'carrier');
      throw new Unexpected(`expected silence, but: ${last?.text}`);
    }
  });
}
