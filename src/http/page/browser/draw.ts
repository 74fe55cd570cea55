/** Draws the views of a page at most once a frame, and each second, so that "since" and "stale" go on when nothing comes. */
import { patch, type Child } from './element.ts';
import type { Language } from './language.ts';

export interface Drawing<Model, Words> {
  readonly model: Model;
  readonly words: () => Words;
  /** By the id of the element that each fills; `now` is wall time in ms. */
  readonly views: Readonly<Record<string, (model: Model, words: Words, now: number) => readonly Child[]>>;
  readonly isStale: (model: Model, now: number) => boolean;
  /** Of the tab. */
  readonly title: () => string;
  /** Draws what is no view. */
  readonly more?: () => void;
}

const everyMillis = 1000;

/** Starts it, and gives what asks for the next drawing. A hidden page has no frame, and is drawn when it is looked at again. */
export function startDrawing<Model extends { readonly language: Language }, Words>(
  drawing: Drawing<Model, Words>,
): () => void {
  let isAsked = false;
  const draw = (): void => {
    if (isAsked) return;
    isAsked = true;
    requestAnimationFrame(() => {
      isAsked = false;
      drawNow(drawing, Date.now());
    });
  };
  document.addEventListener('visibilitychange', draw);
  window.setInterval(draw, everyMillis);
  draw();
  return draw;
}

function drawNow<Model extends { readonly language: Language }, Words>(
  { model, words, views, isStale, title, more }: Drawing<Model, Words>,
  now: number,
): void {
  document.documentElement.lang = model.language === 'zh' ? 'zh-CN' : 'en';
  document.body.classList.toggle('old', isStale(model, now));
  document.title = title();
  for (const [id, view] of Object.entries(views)) patch(byId(id), view(model, words(), now));
  more?.();
}

export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`index.html has no #${id}`);
  return found;
}
