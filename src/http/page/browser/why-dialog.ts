/** Why the announcements of an uplink are as they are: what the daemon itself says to `causeway explain`. */
import type { Dialog } from './dialog.ts';
import { h, type Child } from './element.ts';
import type { Words } from './words.ts';

interface Explanations {
  readonly announcements: readonly {
    readonly service: string;
    readonly family: 4 | 6;
    readonly lines: readonly string[];
  }[];
}

const answerMillis = 5000;

export function openWhy(dialog: Dialog, uplink: string, words: () => Words): void {
  let found: Explanations | 'asking' | 'no-answer' = 'asking';
  dialog.open(() => [
    h('h2', {}, words().whyTitle(uplink)),
    ...explained(found, words()),
    h(
      'p',
      { class: 'buttons' },
      h('button', { type: 'button', class: 'main', 'data-do': 'close' }, words().close),
    ),
  ]);
  const answered = async (): Promise<void> => {
    found = (await ask(uplink)) ?? 'no-answer';
    dialog.redraw();
  };
  void answered();
}

function explained(found: Explanations | 'asking' | 'no-answer', words: Words): readonly Child[] {
  if (found === 'asking') return [h('p', {}, words.previewing)];
  if (found === 'no-answer') return [h('p', { role: 'alert' }, words.noAnswer)];
  return found.announcements.flatMap(({ service, family, lines }): readonly Child[] => [
    h('h3', {}, `${service} ${words.family(family)}`),
    ...lines.map((line) => h('p', { class: 'said', lang: 'en' }, line)),
  ]);
}

async function ask(uplink: string): Promise<Explanations | null> {
  try {
    const answer = await fetch(`v1/explain/${encodeURIComponent(uplink)}`, {
      cache: 'no-store',
      signal: AbortSignal.timeout(answerMillis),
    });
    return answer.ok ? ((await answer.json()) as Explanations) : null;
  } catch {
    return null;
  }
}
