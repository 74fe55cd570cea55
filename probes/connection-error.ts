/**
 * What an error says that ended a connection before anybody answered. Of "unreachable" either our own machine speaks, or
 * a router on the way: that one is a loss.
 */
import { type Deck, type Flight, notRunOfErrno } from './flight.ts';
import { refusedHere } from './socket/tcp-socket.ts';

/** Where a connection goes, and from where. */
export type Place = Parameters<typeof refusedHere>[0];

/** Decides the flight by an errno that is nobody's answer. */
export function judgeConnectionError(deck: Deck, flight: Flight, place: Place, errno: string): void {
  switch (errno) {
    case 'ETIMEDOUT':
      deck.giveUp(flight);
      return;
    case 'ENETUNREACH':
    case 'EHOSTUNREACH': {
      const here = refusedHere(place);
      if (here === null) deck.giveUp(flight);
      else deck.decide(flight, notRunOfErrno(here));
      return;
    }
    default:
      deck.decide(flight, notRunOfErrno(errno));
  }
}
