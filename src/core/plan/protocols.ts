/**
 * What each protocol that we switch should be, up or down, with the description that the owned file gives it.
 *
 *   wish       announce_   drain_
 *   announce   up          down
 *   drain      up          up      (both, so that a hand on either shows)
 *   withdraw   down        down
 */
import type { NodeConfig } from '../../types/config.ts';
import type { Override } from '../../types/override.ts';
import { announceName, drainName, learnName, sessionName } from '../../types/protocol-names.ts';
import type { AnnouncementWish, EgressWish, Wish } from '../../types/wish.ts';
import { fileWords } from './file-words.ts';

export interface ProtocolWish {
  readonly up: boolean;
  /** For the file; says why. */
  readonly description: string;
  /** For `birdc disable` and `enable`. */
  readonly message: string;
}

/** By protocol name: every protocol of ours that can be switched, sessions included. */
export function protocolWishes(
  config: NodeConfig,
  wish: Wish,
  overrides: readonly Override[],
): ReadonlyMap<string, ProtocolWish> {
  return new Map([
    ...wish.announcements.flatMap((one) => pairFor(one)),
    ...wish.egress.map((one) => pipeFor(one)),
    ...wish.egress.map((one) => sessionFor(config, one, overrides)),
  ]);
}

function pairFor(wish: AnnouncementWish): readonly (readonly [string, ProtocolWish])[] {
  const announce = announceName(wish.uplink, wish.service, wish.family);
  const drain = drainName(wish.uplink, wish.service, wish.family);
  const message = wish.text;
  const down = { up: false, description: downDescription(wish), message };
  const announced = { up: true, description: `${fileWords.announced}${wish.text}`, message };
  switch (wish.state) {
    case 'announce':
      return [
        [announce, announced],
        [drain, { up: false, description: fileWords.notDrained, message }],
      ];
    case 'drain':
      return [
        [announce, announced],
        [drain, { up: true, description: `${fileWords.drained}${wish.text}`, message }],
      ];
    case 'withdraw':
      return [
        [announce, down],
        [drain, down],
      ];
  }
}

/** `by hand: ticket 42`: the hand's own words alone, since they are read back at the next start. */
function downDescription(wish: AnnouncementWish): string {
  const byHand = wish.reason === 'override' && wish.author === 'birdc';
  if (!byHand) return `${fileWords.withdrawn}${wish.text}`;
  return `${fileWords.byHand}${wish.text.replace(/^withdraw by birdc: /, '')}`;
}

function pipeFor(wish: EgressWish): readonly [string, ProtocolWish] {
  const up = wish.state === 'use';
  const word = wish.author === 'birdc' ? fileWords.byHand : fileWords.avoided;
  const description = up ? 'learnt routes in use' : `${word}${wish.text}`;
  return [learnName(wish.uplink, wish.family), { up, description, message: wish.text }];
}

/** A session is only ever down by a hand. */
function sessionFor(
  config: NodeConfig,
  { uplink, family }: EgressWish,
  overrides: readonly Override[],
): readonly [string, ProtocolWish] {
  const hand = overrides.find(
    ({ subject }) => subject.kind === 'session' && subject.uplink === uplink && subject.family === family,
  );
  const peer = config.uplinks.find((one) => one.name === uplink)?.peer;
  const up = hand === undefined;
  const description = up ? `AS${peer?.asn ?? '?'} IPv${family}` : `${fileWords.byHand}${hand.reason}`;
  return [sessionName(uplink, family), { up, description, message: up ? 'session in use' : hand.reason }];
}
