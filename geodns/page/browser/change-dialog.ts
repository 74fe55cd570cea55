/**
 * A command with a dialog: what it would do (asked of the service), its fields, the confirmation, and what came of it.
 *   open ──▶ (preview) form ──confirm──▶ asking ──▶ done
 *                       ▲                  │
 *                       └────── refused ───┘
 */
import type { Dialog } from '../../../src/http/page/browser/dialog.ts';
import { type Child, h, type Spec } from '../../../src/http/page/browser/element.ts';
import type { GeoDnsPreview } from '../../../src/types/wire/geodns-answers.ts';
import { type Answer } from './api.ts';
import type { Asked } from './model.ts';
import { previewView } from './view-preview.ts';
import type { Words } from './words.ts';

/** A command as the reader sees it. */
export interface Change {
  readonly title: (words: Words) => string;
  /** null: it has none, and may be confirmed at once. */
  readonly preview: (() => Promise<Answer<GeoDnsPreview>>) | null;
  readonly fields: (words: Words) => readonly Child[];
  readonly send: (form: FormData) => Promise<Answer<unknown>>;
}

export interface DialogTools {
  readonly dialog: Dialog;
  readonly element: HTMLDialogElement;
  readonly words: () => Words;
  /** After a command that acted. */
  readonly changed: () => void;
}

type Step =
  | { readonly kind: 'form'; readonly refusal: string | null }
  | { readonly kind: 'asking' }
  | { readonly kind: 'done' };

/** Why a call came to nothing, in words. */
export function refusalText(answer: Exclude<Answer<unknown>, { kind: 'ok' }>, words: Words): string {
  if (answer.kind === 'no-answer') return words.noAnswer;
  const problems = answer.problems.length > 1 ? ` ${answer.problems.join(' ')}` : '';
  return `${words.refused(answer.status)}: ${answer.detail}${problems}`;
}

export function openChange({ dialog, element, words, changed }: DialogTools, change: Change): void {
  let step: Step = { kind: 'form', refusal: null };
  let preview: Asked<GeoDnsPreview> = { kind: 'nothing' };
  const go = (next: Step): void => {
    step = next;
    dialog.redraw();
  };
  const look = async (): Promise<void> => {
    if (change.preview === null) return;
    preview = { kind: 'asking' };
    const answer = await change.preview();
    preview =
      answer.kind === 'ok'
        ? { kind: 'found', value: answer.body }
        : { kind: 'failed', text: refusalText(answer, words()) };
    dialog.redraw();
  };
  const confirm = async (form: FormData): Promise<void> => {
    go({ kind: 'asking' });
    const answer = await change.send(form);
    if (answer.kind !== 'ok') return go({ kind: 'form', refusal: refusalText(answer, words()) });
    go({ kind: 'done' });
    changed();
  };
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (event.submitter?.dataset['step'] === 'close') return dialog.close();
    const form = element.querySelector('form');
    if (form !== null) void confirm(new FormData(form));
  };
  element.addEventListener('submit', onSubmit);
  element.addEventListener('close', () => element.removeEventListener('submit', onSubmit), { once: true });
  void look();
  dialog.open(() => changeView(change, step, preview, words()));
}

function changeView(
  change: Change,
  step: Step,
  preview: Asked<GeoDnsPreview>,
  words: Words,
): readonly Child[] {
  const mayConfirm =
    change.preview === null || (preview.kind === 'found' && preview.value.ok) || preview.kind === 'failed';
  return [
    h(
      'form',
      { method: 'dialog', 'aria-labelledby': 'dialog-title' },
      h('h2', { id: 'dialog-title' }, change.title(words)),
      h('div', { 'aria-live': 'polite' }, ...previewView(preview, words)),
      h(
        'fieldset',
        { class: 'fields', hidden: step.kind === 'done', disabled: step.kind === 'asking' },
        ...change.fields(words),
      ),
      h('div', { class: 'step', 'aria-live': 'polite' }, ...stepView(step, mayConfirm, words)),
    ),
  ];
}

function stepView(step: Step, mayConfirm: boolean, words: Words): readonly Child[] {
  switch (step.kind) {
    case 'form':
      return [
        step.refusal === null ? null : h('p', { class: 'refusal', role: 'alert' }, step.refusal),
        h(
          'p',
          { class: 'buttons' },
          closing(words.cancel, 'quiet'),
          h(
            'button',
            {
              type: 'submit',
              class: 'main danger',
              'data-step': 'confirm',
              disabled: !mayConfirm,
              key: 'confirm',
            },
            words.confirm,
          ),
        ),
      ];
    case 'asking':
      return [h('p', {}, words.checking)];
    case 'done':
      return [
        h('p', {}, h('strong', {}, words.done)),
        h('p', { class: 'buttons' }, closing(words.close, 'main')),
      ];
    default:
      return step satisfies never;
  }
}

function closing(text: string, name: string): Spec {
  return h(
    'button',
    { type: 'submit', class: name, 'data-step': 'close', formnovalidate: true, key: 'close' },
    text,
  );
}
