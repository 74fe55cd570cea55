/** The commands of the page: overrides, rules that are put in force, revisions that are brought back. */
import { type Child, h, type Spec } from '../../../src/http/page/browser/element.ts';
import type { GeoDnsPreview } from '../../../src/types/wire/geodns-answers.ts';
import { type Answer, call } from './api.ts';
import type { Change } from './change-dialog.ts';
import { field, select } from './controls.ts';
import type { Words } from './words.ts';

/** `match`: number of the revision that the reader saw in force. */
export function applyRules(text: string, match: number): Change {
  return {
    title: (words) => words.applyTitle,
    preview: () => call<GeoDnsPreview>('v1/rules/validate', { method: 'POST', body: text }),
    fields: (words) => [reasonField(words)],
    send: (form) => call(`v1/rules/apply?${reasonOf(form)}`, { method: 'POST', body: text, match }),
  };
}

export function bringBack(number: number, match: number): Change {
  return {
    title: (words) => words.rollbackTitle(number),
    preview: async () =>
      previewOf(await call<{ preview: GeoDnsPreview }>(`v1/revisions/${number}?preview=1`)),
    fields: (words) => [reasonField(words)],
    send: (form) => call(`v1/revisions/${number}/rollback?${reasonOf(form)}`, { method: 'POST', match }),
  };
}

function previewOf(answer: Answer<{ readonly preview: GeoDnsPreview }>): Answer<GeoDnsPreview> {
  return answer.kind === 'ok' ? { ...answer, body: answer.body.preview } : answer;
}

const hours: Readonly<Record<keyof Words['durations'], number>> = {
  '15min': 0.25,
  '1h': 1,
  '6h': 6,
  '24h': 24,
  '168h': 168,
};

/** `target`: `hk1/cmi`. */
export function overrideTarget(target: string): Change {
  return {
    title: (words) => `${words.overrideTitle}: ${target}`,
    preview: null,
    fields: overrideFields,
    send: (form) => {
      const family = valueOf(form, 'family');
      const length = Object.entries(hours).find(([name]) => name === valueOf(form, 'duration'))?.[1] ?? 1;
      return call(`v1/overrides/${target}`, {
        method: 'PUT',
        body: {
          state: valueOf(form, 'state'),
          reason: valueOf(form, 'reason'),
          until: new Date(Date.now() + length * 3_600_000).toISOString(),
          ...(family === 'both' ? {} : { family: Number(family) }),
        },
      });
    },
  };
}

/** `family` '': both. */
export function endOverride(glob: string, family: string): Change {
  return {
    title: (words) => `${words.end}: ${glob}`,
    preview: null,
    fields: (words) => [requiredReason(words)],
    send: (form) =>
      call(`v1/overrides/${glob}`, {
        method: 'PUT',
        body: {
          state: 'auto',
          reason: valueOf(form, 'reason'),
          ...(family === '' ? {} : { family: Number(family) }),
        },
      }),
  };
}

/** `frozen`: nothing changes any more that neither an operator nor a node asked for. */
export function setFreeze(frozen: boolean): Change {
  return {
    title: (words) => (frozen ? words.freezeTitle : words.thawTitle),
    preview: null,
    fields: (words) => [requiredReason(words)],
    send: (form) => call('v1/freeze', { method: 'PUT', body: { frozen, reason: valueOf(form, 'reason') } }),
  };
}

/** Accepts what was proposed for a rule, or takes back what acts on it. */
export function steerRule(word: 'accept' | 'revert', policy: string, rule: string): Change {
  return {
    title: (words) => `${words[word]} ${words.ruleName(policy, Number(rule))}`,
    preview: null,
    fields: (words) => [requiredReason(words)],
    send: (form) =>
      call(`v1/steering/${policy}/${rule}`, {
        method: 'POST',
        body: { do: word, reason: valueOf(form, 'reason') },
      }),
  };
}

function overrideFields(words: Words): readonly Child[] {
  const states = (['down', 'drain', 'up'] as const).map((value) => ({ value, text: words.states[value] }));
  const durations = Object.entries(words.durations).map(([value, shown]) => ({ value, text: shown }));
  return [
    field('state', words.state, select('state', states)),
    field(
      'family',
      words.family,
      select('family', [
        { value: 'both', text: words.both },
        { value: '4', text: words.ipv(4) },
        { value: '6', text: words.ipv(6) },
      ]),
    ),
    field('duration', words.duration, select('duration', durations)),
    requiredReason(words),
  ];
}

function reasonField(words: Words): Spec {
  return field('reason', words.reason, h('input', { name: 'reason', maxlength: '500' }));
}

function requiredReason(words: Words): Spec {
  return field('reason', words.reason, h('input', { name: 'reason', maxlength: '500', required: true }));
}

function reasonOf(form: FormData): string {
  return `reason=${encodeURIComponent(valueOf(form, 'reason'))}`;
}

function valueOf(form: FormData, name: string): string {
  const found = form.get(name);
  return typeof found === 'string' ? found : '';
}
