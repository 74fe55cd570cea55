/** The operator page: a model that the feed keeps, views of it that are drawn at most once a frame, and dialogs. */
import { openAction } from './action-dialog.ts';
import type { Action } from './action-form.ts';
import { type Charts, openCharts } from './charts.ts';
import { openDialogs } from './dialog.ts';
import { byId, startDrawing } from './draw.ts';
import { h, type Child } from './element.ts';
import { startFeed } from './feed.ts';
import { chooseLanguage } from './language.ts';
import { type Filter, isStale, type Model, newModel } from './model.ts';
import { token } from './remembered.ts';
import { announcementsView } from './view-announcements.ts';
import { fleetView } from './view-fleet.ts';
import { headlineView, headView, staleView } from './view-head.ts';
import { guardsView, nodeView, overridesView } from './view-side.ts';
import { timelineView } from './view-timeline.ts';
import { troublesView } from './view-troubles.ts';
import { uplinksView } from './view-uplinks.ts';
import { openWhy } from './why-dialog.ts';
import { type Words, wordsOf } from './words.ts';

const views = {
  head: headView,
  stale: staleView,
  headline: headlineView,
  troubles: troublesView,
  uplinks: uplinksView,
  announcements: announcementsView,
  fleet: fleetView,
  'charts-head': chartsHead,
  timeline: timelineView,
  guards: guardsView,
  overrides: overridesView,
  node: nodeView,
};

const minutesChoices = [5, 15, 60] as const;

const model = newModel(token.read() !== null);
const words = (): Words => wordsOf(model.language);
const dialogElement = document.querySelector('dialog');
if (dialogElement === null) throw new Error('index.html has no dialog');
const dialog = openDialogs(dialogElement);
const charts: Charts | null = openCharts(byId('chart-loss'), byId('chart-latency'));
if (charts === null) byId('charts').hidden = true;

const draw = startDrawing({
  model,
  words,
  views,
  isStale,
  title: () => titleOf(model),
  more: () => charts?.draw(model, words()),
});

/** What a tab among many shows: the node, and how many uplinks are failed. */
function titleOf({ status }: Model): string {
  if (status === null) return words().title;
  const failed = status.uplinks.filter(({ families }) =>
    [families['4'], families['6']].some((one) => one?.health === 'failed'),
  ).length;
  return `${failed > 0 ? `✖${failed} ` : ''}${status.node} · ${words().title}`;
}

function chartsHead({ family, minutes }: Model): readonly Child[] {
  const choice = (name: string, value: string, text: string, isChosen: boolean): Child =>
    h(
      'button',
      { type: 'button', 'data-do': name, 'data-value': value, 'aria-pressed': String(isChosen) },
      text,
    );
  return [
    h('h2', {}, words().chartsTitle),
    h(
      'div',
      { class: 'switch', role: 'group', 'aria-label': words().chartsTitle },
      ...([4, 6] as const).map((one) => choice('family', String(one), words().family(one), one === family)),
      ...minutesChoices.map((one) =>
        choice('minutes', String(one), words().lastMinutes(one), one === minutes),
      ),
    ),
    h('p', { class: 'quiet' }, words().markers),
  ];
}

/** What the buttons do, by their `data-do`. */
function act({ dataset }: HTMLElement): void {
  const family = dataset['family'] === '4' ? 4 : dataset['family'] === '6' ? 6 : null;
  switch (dataset['do']) {
    case 'language':
      model.language = model.language === 'en' ? 'zh' : 'en';
      chooseLanguage(model.language);
      return draw();
    case 'filter':
      model.filter = filterOf(dataset['filter']);
      return draw();
    case 'family':
      model.family = dataset['value'] === '6' ? 6 : 4;
      return draw();
    case 'minutes':
      model.minutes = Number(dataset['value']);
      return draw();
    case 'forget-token':
      token.forget();
      model.hasToken = false;
      return draw();
    case 'why':
      return openWhy(dialog, dataset['uplink'] ?? '', words);
    case 'close':
      return dialog.close();
    case 'override':
      return open({ kind: 'override', uplink: dataset['uplink'] ?? null, family });
    case 'freeze':
      return open({ kind: 'freeze' });
    case 'thaw':
      return open({ kind: 'thaw' });
    case 'release': {
      const override = model.status?.overrides[Number(dataset['override'])];
      return override === undefined ? undefined : open({ kind: 'release', override });
    }
    default:
  }
}

function filterOf(name: string | undefined): Filter {
  return name === 'people' || name === 'all' ? name : 'decisions';
}

function open(action: Action): void {
  if (dialogElement === null) return;
  const changed = (): void => {
    feed.refresh();
    draw();
  };
  openAction({ dialog, element: dialogElement, model, words, changed }, action);
}

document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLElement>('button[data-do]') : null;
  if (button !== null) act(button);
});
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
const feed = startFeed(model, draw);
