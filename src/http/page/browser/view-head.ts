/** The top: which node, how it is in one line, whether what stands below is fresh, and what the reader can switch. */
import type { StatusDocument } from '../../../types/wire/status.ts';
import { uplinkFamilies } from './figures.ts';
import { h, type Child, type Spec } from './element.ts';
import { clock, duration } from './format.ts';
import { shape, type Tone } from './tone.ts';
import { isStale, type Model } from './model.ts';
import type { Words } from './words.ts';

export function headView(model: Model, words: Words, now: number): readonly Child[] {
  const { status } = model;
  return [
    h('h1', {}, status?.node ?? words.title),
    status === null
      ? null
      : h('span', { class: `mode ${status.mode}` }, status.mode === 'observe' ? words.observe : words.live),
    freshness(model, words, now),
    h('span', { class: 'grow' }),
    status === null ? null : freezeButton(status, words),
    status === null ? null : button('override', words.other),
    model.hasToken
      ? h(
          'button',
          { type: 'button', 'data-do': 'forget-token', title: words.tokenKeptHint },
          words.tokenKept,
        )
      : null,
    h(
      'button',
      {
        type: 'button',
        'data-do': 'language',
        title: words.languageHint,
        lang: model.language === 'en' ? 'zh' : 'en',
      },
      words.language,
    ),
  ];
}

/** A line over everything when nothing is heard; empty otherwise. */
export function staleView(model: Model, words: Words, now: number): readonly Child[] {
  if (!isStale(model, now)) return [];
  const { heardAt } = model;
  const text =
    heardAt === null
      ? words.never
      : words.stale(clock(new Date(heardAt).toISOString(), now), duration((now - heardAt) / 1000));
  return [h('p', { class: 'stale' }, shape('bad'), text)];
}

/** One line of the whole: uplinks, and by how many each service is announced. */
export function headlineView({ status }: Model, words: Words): readonly Child[] {
  if (status === null) return [h('p', {}, words.connecting)];
  const { healthy, all } = countUplinks(status);
  const tone: Tone = healthy === all ? 'good' : healthy === 0 ? 'bad' : 'watch';
  return [
    h('p', { class: `headline ${tone}` }, shape(tone), words.headline(healthy, all)),
    h('ul', { class: 'carried', 'aria-label': words.carriedTitle }, ...carried(status, words)),
  ];
}

/** An uplink is healthy when all its families are. */
function countUplinks({ uplinks }: StatusDocument): { readonly healthy: number; readonly all: number } {
  const isHealthy = ({ families }: StatusDocument['uplinks'][number]): boolean =>
    [families['4'], families['6']].every((family) => family === undefined || family.health === 'healthy');
  return { healthy: uplinks.filter((one) => isHealthy(one)).length, all: uplinks.length };
}

function carried(status: StatusDocument, words: Words): readonly Spec[] {
  const counts = new Map<string, { service: string; family: 4 | 6; on: number; of: number }>();
  for (const {
    family,
    status: { announcements },
  } of uplinkFamilies(status)) {
    for (const { service, seen } of announcements) {
      const key = `${service} ${family}`;
      const count = counts.get(key) ?? { service, family, on: 0, of: 0 };
      count.of += 1;
      if (seen === 'exported') count.on += 1;
      counts.set(key, count);
    }
  }
  return [...counts].map(([key, { service, family, on, of }]) => {
    const tone: Tone = on === of ? 'good' : on === 0 ? 'bad' : 'watch';
    return h('li', { key, class: tone }, shape(tone), words.carried(service, family, on, of));
  });
}

function freshness(model: Model, words: Words, now: number): Spec {
  if (model.heardAt === null && !model.isRefused) return h('span', { class: 'fresh' }, words.connecting);
  const stale = isStale(model, now);
  return h(
    'span',
    { class: `fresh ${stale ? 'bad' : 'good'}` },
    shape(stale ? 'bad' : 'good'),
    stale || model.heardAt === null
      ? words.notSeen
      : `${words.fresh} ${clock(new Date(model.heardAt).toISOString(), now)}`,
  );
}

function freezeButton({ freeze }: StatusDocument, words: Words): Spec {
  const isFrozen = freeze !== null && freeze !== undefined;
  return isFrozen ? button('thaw', words.thaw) : button('freeze', words.freeze);
}

/** Opens a dialog; main.ts knows what `data-do` means. */
function button(action: string, text: string): Spec {
  return h('button', { type: 'button', 'data-do': action }, text);
}
