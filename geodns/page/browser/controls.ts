/** Buttons and fields, said once. main.ts knows what `data-do` means. */
import { type Child, h, type Spec } from '../../../src/http/page/browser/element.ts';

export function button(
  action: string,
  text: string,
  data: Readonly<Record<string, string | boolean | null>> = {},
): Spec {
  return h('button', { type: 'button', 'data-do': action, ...data }, text);
}

export function choice(action: string, value: string, text: string, isChosen: boolean): Spec {
  return button(action, text, { 'data-value': value, 'aria-pressed': String(isChosen) });
}

export function field(name: string, label: string, ...control: readonly Child[]): Spec {
  return h('label', { key: name }, label, ...control);
}

export function select(
  name: string,
  options: readonly { readonly value: string; readonly text: string }[],
): Spec {
  return h('select', { name }, ...options.map(({ value, text }) => h('option', { value, key: value }, text)));
}
