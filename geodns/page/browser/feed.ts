/**
 * Keeps the model up to date. Level-triggered: state and sites are asked for each second, and at once when an event comes;
 * rules, revisions and the table of answers when the serial has changed. Nothing is pieced together from events.
 */
import { repeat } from '../../../src/http/page/browser/repeat.ts';
import { token } from '../../../src/http/page/browser/remembered.ts';
import type {
  GeoDnsAnswers,
  GeoDnsMap,
  GeoDnsRevisions,
  GeoDnsSites,
  GeoDnsState,
  GeoDnsSteering,
} from '../../../src/types/wire/geodns-answers.ts';
import { call } from './api.ts';
import { followEvents } from './follow.ts';
import { type Model, shownPolicy } from './model.ts';

const stateMillis = 1000;
const mostEvents = 200;

export interface Feed {
  /** Asks at once: after a command, another token, another choice. */
  readonly refresh: () => void;
}

export function startFeed(model: Model, changed: () => void): Feed {
  let mapOf: number | null = null;
  let answersOf: string | null = null;
  const round = async (): Promise<void> => {
    if (token.read() === null) {
      model.isKnown = false;
      model.isTokenRefused = false;
      return changed();
    }
    const state = await call<GeoDnsState>('v1/state');
    model.isRefused = state.kind === 'no-answer';
    if (state.kind === 'refused' && state.status === 401) {
      model.isKnown = false;
      model.isTokenRefused = true;
    }
    if (state.kind !== 'ok') return changed();
    model.isKnown = true;
    model.isTokenRefused = false;
    model.state = state.body;
    model.heardAt = Date.now();
    model.sites = taken(await call<GeoDnsSites>('v1/sites'), model.sites);
    model.steering = taken(await call<GeoDnsSteering>('v1/steering'), model.steering);
    const serial = state.body.revision;
    if (mapOf !== serial) {
      model.map = taken(await call<GeoDnsMap>('v1/map'), model.map);
      model.revisions = taken(await call<GeoDnsRevisions>('v1/revisions'), model.revisions);
      mapOf = serial;
    }
    const policy = shownPolicy(model);
    const wanted = `${serial} ${policy} ${model.family}`;
    if (policy !== null && answersOf !== wanted) {
      const query = `policy=${encodeURIComponent(policy)}&family=${model.family}`;
      model.answers = taken(await call<GeoDnsAnswers>(`v1/answers?${query}`), model.answers);
      answersOf = wanted;
    }
    changed();
  };
  const feed = repeat(() => stateMillis, round);
  followEvents({
    mayAsk: () => token.read() !== null && model.isKnown === true,
    heard: (event) => {
      if (model.events.some(({ id }) => id === event.id)) return;
      model.events = [event, ...model.events].slice(0, mostEvents);
      feed.now();
    },
    gap: () => {
      model.hasGap = true;
      changed();
    },
  });
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) feed.now();
  });
  return { refresh: feed.now };
}

function taken<T>(answer: Awaited<ReturnType<typeof call<T>>>, before: T | null): T | null {
  return answer.kind === 'ok' ? answer.body : before;
}
