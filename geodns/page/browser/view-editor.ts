/** A place to try rules: the text, its problems or what it would move, and the way to put it in force. */
import { type Child, h } from '../../../src/http/page/browser/element.ts';
import { button, field } from './controls.ts';
import type { Model } from './model.ts';
import { previewView } from './view-preview.ts';
import type { Words } from './words.ts';

export function editorView({ map, preview }: Model, words: Words): readonly Child[] {
  if (map === null) return [];
  const fits = preview.kind === 'found' && preview.value.ok;
  return [
    h('h2', {}, words.editorTitle),
    h(
      'form',
      { 'data-form': 'rules', class: 'fields' },
      field('text', words.editorLabel, h('textarea', { name: 'text', spellcheck: 'false', required: true })),
      h(
        'p',
        { class: 'switch' },
        button('load-rules', words.load),
        h('button', { type: 'submit', class: 'main' }, words.check),
        fits ? button('apply', words.apply, { key: 'apply' }) : null,
      ),
    ),
    h(
      'div',
      { 'aria-live': 'polite', class: 'preview' },
      fits ? h('p', { class: 'good' }, words.fits) : null,
      ...previewView(preview, words),
    ),
  ];
}
