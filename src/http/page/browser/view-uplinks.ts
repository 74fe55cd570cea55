/** Uplinks × regions: state, loss and round trip of each, and what can be done about an uplink. */
import { cardTable, cell, rowHead } from './card-table.ts';
import { h, type Child, type Spec } from './element.ts';
import { regionFigures, regionNames, type UplinkFamily, uplinkFamilies } from './figures.ts';
import { milliseconds, percent } from './format.ts';
import { mark } from './mark.ts';
import { shape, type Tone, toneOf } from './tone.ts';
import type { Model } from './model.ts';
import { recentLoss, type SeriesStore } from './series-store.ts';
import { contractWord, type Words } from './words.ts';

/** Of what was sent in the last seconds: what just began shows here first. */
const nowSeconds = 2;

export function uplinksView({ status, series }: Model, words: Words): readonly Child[] {
  if (status === null) return [];
  const regions = regionNames(status);
  const heads = [
    words.uplink,
    words.state,
    words.lossNow,
    words.loss,
    words.lossHour,
    words.p95,
    ...regions,
    words.session,
    words.egress,
    '',
  ];
  return [
    h('h2', {}, words.uplinksTitle),
    cardTable(
      words.uplinksTitle,
      'uplinks',
      heads,
      uplinkFamilies(status).map((one) => row(one, regions, series, words)),
    ),
  ];
}

function row(one: UplinkFamily, regions: readonly string[], series: SeriesStore, words: Words): Spec {
  const { uplink, family, status } = one;
  const now = recentLoss(series, uplink.uplink, family, nowSeconds);
  const figures = status.figures;
  const name = `${uplink.uplink} ${words.family(family)}`;
  return h(
    'tr',
    {
      role: 'row',
      key: name,
      class: toneOf(status.health),
      'data-uplink': uplink.uplink,
      'data-family': String(family),
    },
    rowHead(
      h('strong', {}, uplink.uplink),
      ` ${words.family(family)}`,
      uplink.carrier === uplink.uplink ? null : h('span', { class: 'beside' }, ` ${uplink.carrier}`),
    ),
    cell(words.state, 'health', mark(words, status.health), ...besides(one, words)),
    lossCell(words.lossNow, 'loss-now', now),
    lossCell(words.loss, 'loss', figures?.['1min'].loss ?? status.evidence.loss),
    cell(words.lossHour, 'figure', percent(figures?.['1h'].loss)),
    cell(words.p95, 'figure', milliseconds(figures?.['1min'].rttP95Millis ?? status.evidence.rttP95Millis)),
    ...regions.map((region) => regionCell(one, region, words)),
    cell(words.session, '', sessionMark(status.session.state, words)),
    cell(words.egress, '', status.egress === undefined ? '–' : mark(words, status.egress.wish)),
    h(
      'td',
      { role: 'cell', class: 'buttons' },
      button('override', words.drain, `${words.drain} ${name}`, uplink.uplink, family),
      button('why', words.whyButton, `${words.whyButton} ${name}`, uplink.uplink, family),
    ),
  );
}

/** What the state alone does not say. */
function besides({ uplink, status }: UplinkFamily, words: Words): readonly Child[] {
  const why = status.targets.find(({ notRun }) => notRun !== null)?.notRun ?? null;
  const notRun = why === null ? null : words.probesNotRun(contractWord(words, why));
  return [
    status.health === 'healthy' ? null : small(contractWord(words, status.reason)),
    uplink.link === 'up' || uplink.link === 'unknown'
      ? null
      : small(`${words.linkWord} ${contractWord(words, uplink.link)}`),
    notRun === null ? null : small(notRun),
  ];
}

function regionCell({ status }: UplinkFamily, region: string, words: Words): Spec {
  const verdict = status.regions[region];
  if (verdict === undefined) return cell(region, 'region', '–');
  const { loss, rttP95Millis } = regionFigures(status, region);
  return cell(
    region,
    'region',
    mark(words, verdict.health),
    h('span', { class: 'beside' }, ` ${percent(loss)} · ${milliseconds(rttP95Millis)}`),
  );
}

function lossCell(label: string, name: string, loss: number | null): Spec {
  const tone: Tone = loss === null ? 'idle' : loss >= 0.05 ? 'bad' : loss >= 0.01 ? 'watch' : 'good';
  const shown = tone === 'bad' || tone === 'watch' ? shape(tone) : null;
  return cell(label, `figure ${name} ${tone}`, shown, percent(loss));
}

function sessionMark(state: string | null, words: Words): Child {
  if (state === null) return words.notSeen;
  return state === 'Established' ? mark(words, state) : mark(words, 'down', state);
}

const small = (text: string): Spec => h('span', { class: 'beside' }, ` ${text}`);

function button(action: string, text: string, label: string, uplink: string, family: number): Spec {
  return h(
    'button',
    {
      type: 'button',
      'data-do': action,
      'data-uplink': uplink,
      'data-family': String(family),
      'aria-label': label,
    },
    text,
  );
}
