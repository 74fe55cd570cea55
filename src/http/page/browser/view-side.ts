/** Guards and budgets, overrides, readiness, and the facts of this node. */
import type { StatusDocument } from '../../../types/wire/status.ts';
import { h, type Child, type Spec } from './element.ts';
import { uplinkFamilies } from './figures.ts';
import { clock, duration } from './format.ts';
import { mark } from './mark.ts';
import type { Model } from './model.ts';
import { subjectWords } from './subject.ts';
import { contractWord, type Words } from './words.ts';

export function guardsView({ status }: Model, words: Words): readonly Child[] {
  if (status === null) return [];
  const { guards } = status;
  const held = uplinkFamilies(status).flatMap(({ uplink, family, status: { announcements } }) =>
    announcements.flatMap(({ service, held: one }) =>
      one === null ? [] : [{ ...one, name: `${service} ${uplink.uplink} ${words.family(family)}` }],
    ),
  );
  return [
    h('h2', {}, words.guardsTitle),
    guards === undefined ? null : h('ul', { class: 'facts' }, ...guardLines(guards, words)),
    held.length === 0 ? h('p', { class: 'quiet' }, words.holdsNothing) : null,
    h(
      'ul',
      { class: 'facts' },
      ...held.map(({ name, guard, text, remainingSeconds }) =>
        h(
          'li',
          {},
          h('strong', {}, `${name}: ${contractWord(words, guard)}`),
          ` ${remainingSeconds === null ? words.untilEvent : words.left(duration(remainingSeconds))}`,
          h('span', { class: 'said', lang: 'en' }, ` ${text}`),
        ),
      ),
    ),
  ];
}

function guardLines(guards: NonNullable<StatusDocument['guards']>, words: Words): readonly Spec[] {
  const { used, count, windowSeconds, roomInSeconds } = guards.maxWithdrawals;
  const { flapBudget } = guards;
  return [
    h('li', {}, words.keepUplinks(guards.keepUplinks)),
    h('li', {}, words.keepNodes(guards.keepNodes)),
    h(
      'li',
      {},
      words.withdrawals(used, count, duration(windowSeconds)),
      roomInSeconds === null
        ? null
        : h('strong', { class: 'held' }, ` ${words.withdrawalsFull(duration(roomInSeconds))}`),
    ),
    h('li', {}, flapBudget === 'off' ? words.flapNone : words.flapBudget(flapBudget)),
    h('li', {}, words.together(duration(guards.togetherSeconds))),
  ];
}

export function overridesView({ status }: Model, words: Words, now: number): readonly Child[] {
  if (status === null) return [];
  const { overrides } = status;
  return [
    h('h2', {}, words.overridesTitle),
    overrides.length === 0 ? h('p', { class: 'quiet' }, words.overridesNone) : null,
    h(
      'ul',
      { class: 'facts overrides' },
      ...overrides.map((override, index) => {
        const { subject, state, author, reason, at } = override;
        const name = subjectWords(subject, words);
        return h(
          'li',
          {},
          mark(words, state),
          h('strong', {}, ` ${name}`),
          h(
            'span',
            { class: 'beside' },
            ` ${words.by(author)}, ${clock(at, now)}, ${until(override, words, now)}`,
          ),
          h('p', { class: 'said', lang: 'en' }, reason),
          // A window is in the config: nobody can release it.
          author === 'maintenance'
            ? null
            : h(
                'button',
                {
                  type: 'button',
                  'data-do': 'release',
                  'data-override': String(index),
                  'aria-label': `${words.undrain} ${name}`,
                },
                words.undrain,
              ),
        );
      }),
    ),
  ];
}

function until(
  { expires, remainingSeconds }: StatusDocument['overrides'][number],
  words: Words,
  now: number,
): string {
  if (expires === null) return words.expiresNever;
  const left = remainingSeconds ?? Math.max(0, (Date.parse(expires) - now) / 1000);
  return left === 0 ? words.expiresAtThaw : words.expires(clock(expires, now), duration(left));
}

export function nodeView({ status }: Model, words: Words, now: number): readonly Child[] {
  if (status === null) return [];
  const { services = [], shadow, startedAt, tickAgeMillis } = status;
  return [
    h('h2', {}, words.nodeTitle),
    h(
      'ul',
      { class: 'facts' },
      ...services.map(({ service, readiness, text, sinceSeconds, checks }) =>
        h(
          'li',
          { key: `ready ${service}` },
          h('strong', {}, `${service}: `),
          mark(words, readiness),
          sinceSeconds === null ? null : small(words.forLength(duration(sinceSeconds))),
          checks.length === 0 ? null : h('span', { class: 'said', lang: 'en' }, ` ${text}`),
        ),
      ),
      ...toldLines(status, words),
      h('li', {}, `${words.bird}: ${birdText(status)}`),
      h('li', {}, `${words.prober}: ${proberText(status)}`),
      h('li', {}, `${words.started} ${clock(startedAt, now)} · tick ${Math.round(tickAgeMillis)} ms`),
      shadow === undefined
        ? null
        : h(
            'li',
            {},
            `${words.shadow}: ${words.shadowText(shadow.disagreeing.length, shadow.disagreements)}`,
          ),
    ),
  ];
}

/** GeoDNS and the webhooks: acknowledged, or since when something waits, and why. */
function toldLines({ geodns, webhooks = [] }: StatusDocument, words: Words): readonly Spec[] {
  const line = (key: string, name: string, waitingSeconds: number | null, trouble: string | null): Spec =>
    h(
      'li',
      { key },
      h('strong', {}, `${name}: `),
      waitingSeconds === null
        ? mark(words, 'up', words.acknowledged)
        : mark(words, 'watch', words.waiting(duration(waitingSeconds))),
      trouble === null ? null : h('span', { class: 'said', lang: 'en' }, ` ${trouble}`),
    );
  const waits = geodns?.uplinks.flatMap(({ waitingSeconds }) => waitingSeconds ?? []) ?? [];
  const longest = waits.length === 0 ? null : Math.max(...waits);
  return [
    ...(geodns === undefined ? [] : [line('geodns', words.geodns, longest, geodns.trouble)]),
    ...webhooks.map(({ name, waitingSeconds, trouble }) =>
      line(`webhook ${name}`, `${words.webhook} ${name}`, waitingSeconds, trouble),
    ),
  ];
}

function birdText({ bird }: StatusDocument): string {
  switch (bird.kind) {
    case 'seen':
      return `${bird.version}, ${bird.path}`;
    case 'unreachable':
      return `${bird.code} ${bird.path}: ${bird.text}`;
    case 'starting':
      return '…';
    default:
      return JSON.stringify(bird satisfies never);
  }
}

function proberText({ prober }: StatusDocument): string {
  switch (prober.kind) {
    case 'running':
      return `${prober.engine}, ${Math.round(prober.rssBytes / 1e6)} MB, lag ${prober.lagMillis.toFixed(1)} ms`;
    case 'unable':
      return `${prober.code}: ${prober.text}`;
    case 'silent':
      return prober.text;
    case 'starting':
      return '…';
    default:
      return JSON.stringify(prober satisfies never);
  }
}

const small = (text: string): Spec => h('span', { class: 'beside' }, ` ${text}`);
