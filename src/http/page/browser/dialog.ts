/** The one dialog of the page: opened over it, drawn anew at each change, closed by its buttons or Escape. */
import { patch, type Child } from './element.ts';

export interface Dialog {
  /** Shows what `view` says, until it is closed. */
  open(view: () => readonly Child[]): void;
  redraw(): void;
  close(): void;
}

export function openDialogs(element: HTMLDialogElement): Dialog {
  let view: (() => readonly Child[]) | null = null;
  const redraw = (): void => {
    if (view !== null) patch(element, view());
  };
  element.addEventListener('close', () => {
    view = null;
    patch(element, []);
  });
  return {
    open(next) {
      patch(element, []);
      view = next;
      redraw();
      if (!element.open) element.showModal();
    },
    redraw,
    close: () => element.close(),
  };
}
