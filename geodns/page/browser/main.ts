/** The page of GeoDNS: a model that the feed keeps, views of it that are drawn at most once a frame, and dialogs. */
import { openDialogs } from '../../../src/http/page/browser/dialog.ts';
import { startDrawing } from '../../../src/http/page/browser/draw.ts';
import { chooseLanguage } from '../../../src/http/page/browser/language.ts';
import { token } from '../../../src/http/page/browser/remembered.ts';
import type { GeoDnsDecision, GeoDnsPreview } from '../../../src/types/wire/geodns-answers.ts';
import { call } from './api.ts';
import { type Change, openChange, refusalText } from './change-dialog.ts';
import { applyRules, bringBack, endOverride, overrideTarget, setFreeze, steerRule } from './changes.ts';
import { startFeed } from './feed.ts';
import { isStale, newModel } from './model.ts';
import { answersView } from './view-answers.ts';
import { askView } from './view-ask.ts';
import { editorView } from './view-editor.ts';
import { headView, staleView, tokenView } from './view-head.ts';
import { rulesView } from './view-rules.ts';
import { eventsView, overridesView, revisionsView, sitesView } from './view-side.ts';
import { steeringView } from './view-steering.ts';
import { targetsView } from './view-targets.ts';
import { troublesView } from './view-troubles.ts';
import { type Words, wordsOf } from './words.ts';

const views = {
  head: headView,
  stale: staleView,
  token: tokenView,
  troubles: troublesView,
  ask: askView,
  targets: targetsView,
  answers: answersView,
  rules: rulesView,
  editor: editorView,
  sites: sitesView,
  overrides: overridesView,
  steering: steeringView,
  revisions: revisionsView,
  events: eventsView,
};

const model = newModel();
const words = (): Words => wordsOf(model.language);
const dialogElement = document.querySelector('dialog');
if (dialogElement === null) throw new Error('index.html has no dialog');
const dialog = openDialogs(dialogElement);

const title = (): string => `${model.map?.zone ?? ''} ${words().title}`.trim();
const draw = startDrawing({ model, words, views, isStale, title });

/** What the buttons do, by their `data-do`. */
function act({ dataset }: HTMLElement): void {
  switch (dataset['do']) {
    case 'language':
      model.language = model.language === 'en' ? 'zh' : 'en';
      chooseLanguage(model.language);
      return draw();
    case 'forget-token':
      token.forget();
      Object.assign(model, newModel());
      return feed.refresh();
    case 'policy':
      model.policy = dataset['value'] ?? null;
      return feed.refresh();
    case 'family':
      model.family = dataset['value'] === '6' ? 6 : 4;
      return feed.refresh();
    case 'load-rules':
      return void loadRules();
    case 'override':
      return open(overrideTarget(dataset['target'] ?? ''));
    case 'end-override':
      return open(endOverride(dataset['glob'] ?? '', dataset['family'] ?? ''));
    case 'rollback':
      return open(bringBack(Number(dataset['number']), model.revisions?.current ?? 0));
    case 'freeze':
      return open(setFreeze(true));
    case 'thaw':
      return open(setFreeze(false));
    case 'accept':
    case 'revert':
      return open(steerRule(dataset['do'], dataset['policy'] ?? '', dataset['rule'] ?? '0'));
    case 'apply':
      return open(applyRules(editor().value, model.revisions?.current ?? 0));
    default:
  }
}

function open(change: Change): void {
  if (dialogElement === null) return;
  openChange({ dialog, element: dialogElement, words, changed: () => feed.refresh() }, change);
}

function editor(): HTMLTextAreaElement {
  const found = document.querySelector('textarea');
  if (found === null) throw new Error('the editor is not drawn');
  return found;
}

async function loadRules(): Promise<void> {
  const answer = await call<string>('v1/rules');
  if (answer.kind === 'ok') editor().value = answer.body;
  model.preview =
    answer.kind === 'ok' ? { kind: 'nothing' } : { kind: 'failed', text: refusalText(answer, words()) };
  draw();
}

/** What the forms of the page do, by their `data-form`. */
function submitted(form: HTMLFormElement): void {
  const data = new FormData(form);
  const given = (name: string): string => {
    const found = data.get(name);
    return typeof found === 'string' ? found : '';
  };
  switch (form.dataset['form']) {
    case 'token':
      token.keep(given('token').trim());
      form.reset();
      return feed.refresh();
    case 'ask':
      return void askFor(given('ip'), given('name'), given('type'));
    case 'rules':
      return void checkRules(given('text'));
    default:
  }
}

async function askFor(ip: string, name: string, type: string): Promise<void> {
  model.decision = { kind: 'asking' };
  draw();
  const query = new URLSearchParams({ ip: ip.trim(), name, type });
  const answer = await call<GeoDnsDecision>(`v1/decide?${query.toString()}`);
  model.decision =
    answer.kind === 'ok'
      ? { kind: 'found', value: answer.body }
      : { kind: 'failed', text: refusalText(answer, words()) };
  draw();
}

async function checkRules(text: string): Promise<void> {
  model.preview = { kind: 'asking' };
  draw();
  const answer = await call<GeoDnsPreview>('v1/rules/validate', { method: 'POST', body: text });
  model.preview =
    answer.kind === 'ok'
      ? { kind: 'found', value: answer.body }
      : { kind: 'failed', text: refusalText(answer, words()) };
  draw();
}

document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLElement>('button[data-do]') : null;
  if (button !== null) act(button);
});
document.addEventListener('submit', (event) => {
  const { target } = event;
  if (!(target instanceof HTMLFormElement) || target.dataset['form'] === undefined) return;
  event.preventDefault();
  submitted(target);
});
// A text that was changed since it was checked is not the one that was checked.
document.addEventListener('input', ({ target }) => {
  if (!(target instanceof HTMLTextAreaElement)) return;
  model.preview = { kind: 'nothing' };
  draw();
});
const feed = startFeed(model, draw);
