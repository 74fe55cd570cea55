/** docs/configuration.md: every key of the config with its values, default and sentence, from the schema. Pure. */
import { jsonSchema } from './json-schema.ts';

interface Row {
  readonly key: string;
  readonly values: string;
  readonly fallback: string;
  readonly sentence: string;
}

type Node = Readonly<Record<string, unknown>>;

const introduction = `# Configuration reference

<!-- Made from the schema by test/unit/reference-docs.test.ts; UPDATE_DOCS=1 renews it. -->

Every key of \`/etc/causeway/causeway.yaml\`. \`causeway check\` names each problem with its line; \`causeway explain config\`
prints the file with every default; [causeway.schema.json](causeway.schema.json) is for editors, and
[causeway.example.yaml](causeway.example.yaml) shows the keys at work. Durations are written \`200ms\`, \`5s\`, \`10min\`, \`1h\`,
\`1d\`, shares \`0.5%\`, sizes \`256MB\`. A name in angle brackets is yours to choose; \`[]\` stands for each entry of a list.
Where a key has several forms, the keys of all of them are listed.
`;

/** The whole page; identical schemas give identical bytes. */
export function configReference(): string {
  const root = jsonSchema();
  const sections = Object.entries(nodesOf(root['properties'])).map(([name, node]) => {
    const rows = [rowOf(name, node, requiredIn(root).has(name)), ...rowsBelow(name, node)];
    const unique = [...new Map(rows.map((row) => [row.key, row])).values()];
    return `## ${name}\n\n| key | value | default | |\n|---|---|---|---|\n${unique.map(lineOf).join('\n')}\n`;
  });
  return `${introduction}\n${sections.join('\n')}`;
}

/** Keys in a mapping, in each entry of a list, behind any name, and in each form. */
function rowsBelow(path: string, node: Node): readonly Row[] {
  const own = Object.entries(nodesOf(node['properties'])).flatMap(([name, child]) => [
    rowOf(`${path}.${name}`, child, requiredIn(node).has(name)),
    ...rowsBelow(`${path}.${name}`, child),
  ]);
  const named = nodeOf(node['additionalProperties']);
  const items = nodeOf(node['items']);
  const forms: readonly unknown[] = Array.isArray(node['anyOf']) ? node['anyOf'] : [];
  return [
    ...own,
    ...(named === null ? [] : [rowOf(`${path}.<name>`, named, false), ...rowsBelow(`${path}.<name>`, named)]),
    ...(items === null ? [] : rowsBelow(`${path}[]`, items)),
    ...forms.flatMap((form) => {
      const below = nodeOf(form);
      return below === null ? [] : rowsBelow(path, below);
    }),
  ];
}

function rowOf(key: string, node: Node, isRequired: boolean): Row {
  const { description, default: fallback } = node;
  return {
    key,
    values: valuesOf(node),
    fallback: isRequired ? 'required' : fallback === undefined ? '' : `\`${JSON.stringify(fallback)}\``,
    sentence: typeof description === 'string' ? description : '',
  };
}

function valuesOf(node: Node): string {
  const { type, enum: choices, minimum, maximum, anyOf, pattern } = node;
  if (Array.isArray(choices)) return choices.map((one) => `\`${String(one)}\``).join(' ');
  if (Array.isArray(anyOf)) {
    const forms = anyOf.flatMap((form: unknown) => {
      const below = nodeOf(form);
      return below === null ? [] : [valuesOf(below)];
    });
    return [...new Set(forms)].join(' or ');
  }
  const kind = Array.isArray(type) ? type.join(' or ') : typeof type === 'string' ? type : '';
  if (typeof pattern === 'string' && pattern.includes('(ms|s|min|h|d)')) return 'duration';
  if (typeof pattern === 'string' && pattern.endsWith('%$')) return 'share';
  if (typeof minimum === 'number' && typeof maximum === 'number') return `${kind} ${minimum} to ${maximum}`;
  return words[kind] ?? kind;
}

const words: Readonly<Record<string, string>> = { object: 'mapping', array: 'list', string: 'text' };

function lineOf({ key, values, fallback, sentence }: Row): string {
  return `| \`${key}\` | ${cell(values)} | ${cell(fallback)} | ${cell(sentence)} |`;
}

/** What would end a cell of a table, or begin an element of HTML. */
function cell(text: string): string {
  return text.replaceAll('|', String.raw`\|`).replaceAll(/<(?=[a-z])/g, '&lt;');
}

function requiredIn(node: Node): ReadonlySet<string> {
  const required = node['required'];
  return new Set(Array.isArray(required) ? required.map(String) : []);
}

function nodesOf(value: unknown): Readonly<Record<string, Node>> {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(
    entries.flatMap(([name, child]) => {
      const node = nodeOf(child);
      return node === null ? [] : [[name, node] as const];
    }),
  );
}

function nodeOf(value: unknown): Node | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
}
