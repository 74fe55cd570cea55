/**
 * A view is said as a tree of specs and put into the document by changing only what differs, so that focus, selection and
 * opened details stay. Text is only ever text: nothing here makes HTML of it.
 */
export interface Spec {
  readonly tag: string;
  /** Keeps the element with its subject where a list changes. */
  readonly key: string | null;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Child[];
}

/** null and false are left out. */
export type Child = Spec | string | null | false;
type Kept = Spec | string;

/** Attributes as they stand in HTML; `key` is not one of them. false: left out; true: without a value. */
export function h(
  tag: string,
  attributes: Readonly<Record<string, string | boolean | null>> = {},
  ...children: readonly (Child | readonly Child[])[]
): Spec {
  const { key, ...others } = attributes;
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(others)) {
    if (value !== null && value !== false) kept[name] = value === true ? '' : value;
  }
  return { tag, key: typeof key === 'string' ? key : null, attributes: kept, children: children.flat() };
}

const keys = new WeakMap<Node, string>();

/** Makes the children of an element what the specs say. */
export function patch(parent: Element, children: readonly Child[]): void {
  const wanted = children.filter((child): child is Kept => child !== null && child !== false);
  const staying = new Set(wanted.map((child) => (typeof child === 'string' ? null : child.key)));
  const keyed = new Map<string, Element>();
  for (const child of Array.from(parent.childNodes)) {
    const key = keys.get(child);
    if (key === undefined) continue;
    if (!staying.has(key)) child.remove();
    else if (child instanceof Element) keyed.set(key, child);
  }
  let cursor: ChildNode | null = parent.firstChild;
  for (const child of wanted) cursor = place(parent, child, cursor, keyed);
  while (cursor !== null) {
    const next: ChildNode | null = cursor.nextSibling;
    cursor.remove();
    cursor = next;
  }
}

/** Puts one child before or at the cursor; gives back where the next one goes. */
function place(
  parent: Element,
  child: Kept,
  cursor: ChildNode | null,
  keyed: ReadonlyMap<string, Element>,
): ChildNode | null {
  if (typeof child === 'string') {
    if (cursor instanceof Text) {
      if (cursor.data !== child) cursor.data = child;
      return cursor.nextSibling;
    }
    parent.insertBefore(document.createTextNode(child), cursor);
    return cursor;
  }
  const known = child.key === null ? unkeyed(cursor, child.tag) : (keyed.get(child.key) ?? null);
  const element = known ?? document.createElement(child.tag);
  if (child.key !== null) keys.set(element, child.key);
  if (element === cursor) cursor = cursor.nextSibling;
  else parent.insertBefore(element, cursor);
  dress(element, child.attributes);
  patch(element, child.children);
  return cursor;
}

function unkeyed(cursor: ChildNode | null, tag: string): Element | null {
  const fits = cursor instanceof Element && cursor.localName === tag && !keys.has(cursor);
  return fits ? cursor : null;
}

function dress(element: Element, attributes: Readonly<Record<string, string>>): void {
  for (const { name } of Array.from(element.attributes)) {
    // Whether details are open is the reader's matter.
    if (!(name in attributes) && name !== 'open') element.removeAttribute(name);
  }
  for (const [name, value] of Object.entries(attributes)) {
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }
}
