/**
 * Templates of webhooks: text with `{{how name}}` in it. `how` says what the value is escaped for; where it is left out,
 * the place decides (a URL, a header), and a place that decides nothing wants it said.
 */
import { unreachable } from './unreachable.ts';

/** json: a whole JSON value; string: inside the quotes of one; url, form: percent-encoded; text: one line. */
export const escapings = ['json', 'string', 'url', 'form', 'text'] as const;
export type Escaping = (typeof escapings)[number];

export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly name: string; readonly escaping: Escaping };

export type Template = readonly TemplatePart[];

/** A number, a text, null, or what JSON makes of it. */
export type TemplateValues = Readonly<Record<string, unknown>>;

export type TemplateRead =
  | { readonly kind: 'ok'; readonly template: Template }
  | { readonly kind: 'bad'; readonly text: string };

/** `usual`: the escaping of values that say none; null: they must say one. */
export function readTemplate(source: string, names: readonly string[], usual: Escaping | null): TemplateRead {
  const parts: TemplatePart[] = [];
  let rest = source;
  while (rest !== '') {
    const open = rest.indexOf('{{');
    if (open === -1) break;
    const close = rest.indexOf('}}', open);
    if (close === -1) return { kind: 'bad', text: 'every {{ needs its }}' };
    if (open > 0) parts.push({ kind: 'text', text: rest.slice(0, open) });
    const value = valueIn(rest.slice(open + 2, close), names, usual);
    if (typeof value === 'string') return { kind: 'bad', text: value };
    parts.push(value);
    rest = rest.slice(close + 2);
  }
  if (rest !== '') parts.push({ kind: 'text', text: rest });
  return { kind: 'ok', template: parts };
}

function valueIn(inside: string, names: readonly string[], usual: Escaping | null): TemplatePart | string {
  const words = inside.trim().split(/\s+/);
  const [first = '', second] = words;
  const name = second ?? first;
  const found = second === undefined ? usual : escapings.find((one) => one === first);
  if (words.length > 2 || !names.includes(name)) return `{{…}} with one of ${names.join(', ')}`;
  if (found === undefined || found === null)
    return `{{json ${name}}}, {{string ${name}}} (inside quotes), {{url ${name}}}, {{form ${name}}} or {{text ${name}}}`;
  return { kind: 'value', name, escaping: found };
}

export function fillTemplate(template: Template, values: TemplateValues): string {
  return template
    .map((part) => (part.kind === 'text' ? part.text : escaped(values[part.name] ?? null, part.escaping)))
    .join('');
}

function escaped(value: unknown, escaping: Escaping): string {
  const plain = typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
  switch (escaping) {
    case 'json':
      return JSON.stringify(value);
    case 'string':
      return JSON.stringify(plain).slice(1, -1);
    case 'url':
      return encodeURIComponent(wellFormed(plain));
    case 'form':
      return encodeURIComponent(wellFormed(plain)).replaceAll('%20', '+');
    case 'text':
      return oneLine(plain);
    default:
      return unreachable(escaping);
  }
}

/** Nothing that ends a line or a header: printable ASCII, anything else as `?`. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').replaceAll(/[^\u0020-\u007e]/gu, '?');
}

/** Half of a character cannot be encoded. */
function wellFormed(text: string): string {
  return text.replaceAll(/\p{Cs}/gu, '\ufffd');
}
