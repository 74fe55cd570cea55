/**
 * A command in three steps, none of which can be left out: the form, what would change (asked of the daemon), and the
 * confirmation.
 *   form ──preview──▶ asking ──▶ preview ──confirm──▶ asking ──▶ done
 *     ▲                 │          │
 *     └──── back ───────┴─refused──┘
 */
import type { OperatorAnswer } from '../../../types/wire/operator.ts';
import { type Action, commandOf, formFields } from './action-form.ts';
import { type Command, sendCommand } from './commands.ts';
import type { Dialog } from './dialog.ts';
import { h, type Child, type Spec } from './element.ts';
import { clock, duration } from './format.ts';
import { mark } from './mark.ts';
import type { Model } from './model.ts';
import { remember, token } from './remembered.ts';
import { subjectWords } from './subject.ts';
import { contractWord, type Words } from './words.ts';

type Step =
  | { readonly kind: 'form'; readonly refusal: string | null }
  | { readonly kind: 'asking' }
  | { readonly kind: 'preview'; readonly command: Command; readonly answer: OperatorAnswer }
  | { readonly kind: 'done'; readonly answer: OperatorAnswer };

export interface ActionDialogTools {
  readonly dialog: Dialog;
  readonly element: HTMLDialogElement;
  readonly model: Model;
  readonly words: () => Words;
  /** After a command that acted, and when the token was kept or forgotten. */
  readonly changed: () => void;
}

/** Opens it; all that follows is the reader's. */
export function openAction(tools: ActionDialogTools, action: Action): void {
  const opened = new ActionDialog(tools, action);
  const { element, dialog } = tools;
  dialog.open(() => opened.view());
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    opened.pressed(event.submitter?.dataset['step']);
  };
  element.addEventListener('submit', onSubmit);
  element.addEventListener('close', () => element.removeEventListener('submit', onSubmit), { once: true });
}

class ActionDialog {
  readonly #tools: ActionDialogTools;
  readonly #action: Action;
  #step: Step = { kind: 'form', refusal: null };
  #asksToken: boolean;

  constructor(tools: ActionDialogTools, action: Action) {
    this.#tools = tools;
    this.#action = action;
    this.#asksToken = !tools.model.hasToken;
  }

  view(): readonly Child[] {
    const { model, words } = this.#tools;
    const { status } = model;
    if (status === null) return [];
    const isForm = this.#step.kind === 'form' || this.#step.kind === 'asking';
    return [
      h(
        'form',
        { method: 'dialog', 'aria-labelledby': 'dialog-title' },
        h('h2', { id: 'dialog-title' }, words().actionTitles[this.#action.kind]),
        // The fields stay while the preview is shown, so that `back` finds them as they were.
        h(
          'fieldset',
          { class: 'fields', hidden: !isForm, disabled: this.#step.kind === 'asking' },
          ...formFields(this.#action, status, words(), this.#asksToken),
        ),
        h('div', { class: 'step', 'aria-live': 'polite' }, ...stepView(this.#step, this.#action, words())),
      ),
    ];
  }

  pressed(step: string | undefined): void {
    if (step === 'preview') this.#preview();
    if (step === 'confirm') this.#confirm();
    if (step === 'back') this.#go({ kind: 'form', refusal: null });
    if (step === 'close') this.#tools.dialog.close();
  }

  #preview(): void {
    const form = this.#form();
    const author = form.get('author');
    if (typeof author === 'string') remember('author', author);
    const given = form.get('token');
    if (typeof given === 'string' && given !== '') token.keep(given);
    void this.#send(commandOf(this.#action, form, false), true);
  }

  #confirm(): void {
    if (this.#step.kind !== 'preview') return;
    const { command } = this.#step;
    const last = this.#form().get('last') !== null;
    void this.#send(last ? { ...command, body: { ...command.body, last } } : command, false);
  }

  async #send(command: Command, dryRun: boolean): Promise<void> {
    const { model, words, changed } = this.#tools;
    this.#go({ kind: 'asking' });
    const found = await sendCommand(command, { dryRun });
    model.hasToken = token.read() !== null;
    if (found.kind === 'refused') {
      this.#asksToken = !model.hasToken;
      this.#go({ kind: 'form', refusal: `${words().refused(found.status)}: ${found.detail}` });
    } else if (found.kind === 'no-answer') this.#go({ kind: 'form', refusal: words().noAnswer });
    else if (dryRun) this.#go({ kind: 'preview', command, answer: found.answer });
    else this.#go({ kind: 'done', answer: found.answer });
    changed();
  }

  #form(): FormData {
    return new FormData(this.#tools.element.querySelector('form') ?? undefined);
  }

  #go(next: Step): void {
    const { dialog, element } = this.#tools;
    this.#step = next;
    dialog.redraw();
    if (next.kind !== 'asking') element.querySelector<HTMLElement>('[data-first]')?.focus();
  }
}

function stepView(step: Step, action: Action, words: Words): readonly Child[] {
  switch (step.kind) {
    case 'form':
      return [
        step.refusal === null
          ? null
          : h('p', { class: 'refusal', role: 'alert', 'data-first': true, tabindex: '-1' }, step.refusal),
        buttons(button('close', words.cancel, 'quiet'), button('preview', words.preview, 'main')),
      ];
    case 'asking':
      return [h('p', {}, words.previewing)];
    case 'preview':
      return [
        ...effectView(step.answer, words),
        isLast(step.answer)
          ? h(
              'label',
              { class: 'check' },
              h('input', { type: 'checkbox', name: 'last', required: true }),
              words.lastLabel,
            )
          : null,
        buttons(
          button('back', words.back, 'quiet'),
          button('confirm', words.confirm[action.kind], 'main danger', true),
        ),
      ];
    case 'done':
      return [
        h('p', {}, h('strong', {}, words.done)),
        ...effectView(step.answer, words),
        buttons(button('close', words.close, 'main', true)),
      ];
    default:
      return step satisfies never;
  }
}

/** Whether the daemon will refuse it unless it is said that the last one is meant. */
function isLast({ notes }: OperatorAnswer): boolean {
  return notes.some((note) => note.includes('--last'));
}

function effectView({ changes, begun, ended, notes }: OperatorAnswer, words: Words): readonly Child[] {
  const now = Date.now();
  return [
    h('h3', {}, words.effectTitle),
    changes.length === 0 ? h('p', { class: 'quiet' }, words.effectNothing) : null,
    h(
      'ul',
      { class: 'effects' },
      ...changes.map(({ uplink, service, family, from, to }) =>
        h(
          'li',
          {},
          h('strong', {}, `${service ?? words.egress} ${uplink} ${words.family(family)}`),
          ` ${contractWord(words, from)} → `,
          mark(words, to),
        ),
      ),
    ),
    ...[
      ...begun.map(({ subject, state, expires, author, reason }) => {
        const left = expires === null ? 0 : (Date.parse(expires) - now) / 1000;
        const until =
          expires === null ? words.expiresNever : words.expires(clock(expires, now), duration(left));
        const what = words.begins(subjectWords(subject, words), contractWord(words, state), until);
        return `${what}; ${author}: ${reason}`;
      }),
      ...ended.map(({ subject, state }) =>
        words.ends(subjectWords(subject, words), contractWord(words, state)),
      ),
    ].map((text) => h('p', {}, text)),
    ...notes.map((note) => h('p', { class: 'note', lang: 'en' }, note)),
  ];
}

function buttons(...children: readonly Spec[]): Spec {
  return h('p', { class: 'buttons' }, ...children);
}

function button(step: string, text: string, name: string, first = false): Spec {
  // Only the preview checks the fields: back and close leave them.
  const skips = step === 'back' || step === 'close';
  return h(
    'button',
    { type: 'submit', class: name, 'data-step': step, 'data-first': first, formnovalidate: skips, key: step },
    text,
  );
}
