/** Tables whose rows are cards on a narrow screen; their roles are said, since a display other than a table's hides them. */
import { h, type Child, type Spec } from './element.ts';

/** `name`: its class. A head that is empty stands over buttons. */
export function cardTable(
  title: string,
  name: string,
  heads: readonly string[],
  rows: readonly Spec[],
): Spec {
  return h(
    'div',
    { class: 'wide', role: 'region', tabindex: '0', 'aria-label': title },
    h(
      'table',
      { class: `${name} cards`, role: 'table' },
      h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, ...heads.map(head))),
      h('tbody', { role: 'rowgroup' }, ...rows),
    ),
  );
}

function head(text: string): Spec {
  return text === '' ? h('td', { role: 'cell' }) : h('th', { role: 'columnheader', scope: 'col' }, text);
}

export function rowHead(...children: readonly Child[]): Spec {
  return h('th', { role: 'rowheader', scope: 'row' }, ...children);
}

/** `label` stands beside it where the table is shown as cards. */
export function cell(label: string, name: string, ...children: readonly Child[]): Spec {
  return h('td', { role: 'cell', class: name, 'data-label': label }, ...children);
}
