/**
 * The stream of events, read by `fetch`: an EventSource cannot send the token. It is opened again when it ends, from the last
 * event that came.
 */
import type { GeoDnsEvent } from '../../../src/types/wire/geodns-answers.ts';
import { tokenHeader } from './api.ts';

const reopenMillis = 3000;

export interface Follower {
  readonly heard: (event: GeoDnsEvent) => void;
  readonly gap: () => void;
  /** Whether it is worth trying: without a token it is not. */
  readonly mayAsk: () => boolean;
}

export function followEvents(follower: Follower): void {
  let lastId = 0;
  const run = async (): Promise<void> => {
    if (!follower.mayAsk()) return;
    const response = await fetch('v1/events', {
      cache: 'no-store',
      headers: { accept: 'text/event-stream', 'last-event-id': String(lastId), ...tokenHeader() },
    });
    if (!response.ok || response.body === null) return;
    for await (const { name, data } of messagesOf(response.body)) {
      if (name === 'gap') {
        if (lastId > 0) follower.gap();
        continue;
      }
      const event = JSON.parse(data) as GeoDnsEvent;
      lastId = event.id;
      follower.heard(event);
    }
  };
  const again = (): void => {
    run()
      .catch(() => undefined)
      .finally(() => window.setTimeout(again, reopenMillis));
  };
  again();
}

/** WHATWG HTML §9.2, as far as our service uses it: each message ends with an empty line. */
async function* messagesOf(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<{ readonly name: string; readonly data: string }> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const field = (name: string): string | undefined =>
        block
          .split('\n')
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2);
      const data = field('data');
      if (data !== undefined) yield { name: field('event') ?? 'message', data };
    }
  }
}
