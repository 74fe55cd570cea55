/** causeway.yaml(5), from the same schema that reads the file. Pure. */
import { z } from 'zod';
import { jsonSchema } from './json-schema.ts';
import { argument, sentences } from './mdoc.ts';

/** What of a JSON Schema the page tells. */
const nodeSchema = z.object({
  get properties() {
    return z.record(z.string(), nodeSchema).optional();
  },
  get items() {
    return nodeSchema.optional();
  },
  get additionalProperties() {
    return z.union([z.boolean(), nodeSchema]).optional();
  },
  get anyOf() {
    return z.array(nodeSchema).optional();
  },
  required: z.array(z.string()).optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  default: z.unknown().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minItems: z.number().optional(),
  description: z.string().optional(),
});
type Node = z.infer<typeof nodeSchema>;

const introduction = `.Dd November 30, 2026
.Dt CAUSEWAY.YAML 5
.Os
.Sh NAME
.Nm causeway.yaml
.Nd configuration of a Causeway node
.Sh DESCRIPTION
.Pa /etc/causeway/causeway.yaml
tells
.Xr causeway 8
who the node is, which services it announces, and over which uplinks.
It is YAML 1.2.
Durations, percentages and sizes carry their unit:
.Li 200ms , 5s , 10min , 1h , 1d ,
.Li 0.5% ,
.Li 256MB .
Names of uplinks and services are a small letter with up to 14 small letters
and digits behind it.
IPv6 addresses and prefixes stand in quotes inside of
.Li { }
and
.Li \\&[ ] .
.Pp
Unknown keys, duplicates and references to nothing are errors.
.Ic causeway check
tells all of them at once, each with its line;
.Ic causeway explain config
prints the file with every default written out, and its output loads again.
A reload of a bad file leaves the running configuration in force.
.Pp
Many keys have several forms, a short one and one with options; where the
page says
.Dq one of ,
each is tried.
.Aq name
stands for any name.`;

const end = `.Sh FILES
.Bl -tag -width Ds -compact
.It Pa /etc/causeway/causeway.yaml
The configuration.
.It Pa /usr/share/causeway/causeway.example.yaml
One with every part of it, and why.
.It Pa /usr/share/causeway/causeway.schema.json
A JSON Schema for editors.
.El
.Sh SEE ALSO
.Xr causeway 1 ,
.Xr causeway 8`;

/** The whole page, from its date to its last line. */
export function configManPage(): string {
  const root = nodeSchema.parse(jsonSchema());
  const keys = Object.entries(root.properties ?? {}).flatMap(([name, node]) => [
    `.Ss ${name}`,
    '.Bl -tag -width Ds',
    ...entryLines(name, node, root.required?.includes(name) ?? false),
    '.El',
  ]);
  return `.\\" Made from the schema by test/unit/man-pages.test.ts; UPDATE_DOCS=1 renews it.\n${introduction}\n.Sh KEYS\n${keys.join('\n')}\n${end}\n`;
}

function entryLines(path: string, node: Node, isRequired: boolean): readonly string[] {
  return [
    `.It Ic ${argument(path)}`,
    ...sentences(`${node.description ?? ''} ${valueText(node, isRequired)}`),
    ...childLines(path, node, new Set()),
  ];
}

/** The keys below, those of all forms together; a key that several forms have is told once. */
function childLines(path: string, node: Node, told: Set<string>): readonly string[] {
  const below: [string, Node, boolean][] = Object.entries(node.properties ?? {}).map(([name, child]) => [
    `${path}.${name}`,
    child,
    node.required?.includes(name) ?? false,
  ]);
  if (typeof node.additionalProperties === 'object')
    below.push([`${path}.<name>`, node.additionalProperties, false]);
  const own = below.flatMap(([childPath, child, isRequired]) => {
    if (told.has(childPath)) return [];
    told.add(childPath);
    return entryLines(childPath, child, isRequired);
  });
  const items = node.items === undefined ? [] : childLines(`${path}[]`, node.items, told);
  return [...own, ...items, ...(node.anyOf ?? []).flatMap((form) => childLines(path, form, told))];
}

/** Kind, bounds and default in a sentence: `A whole number from 1 to 4294967294. Required.` */
function valueText(node: Node, isRequired: boolean): string {
  const kind = kindText(node);
  const fallback = isTold(node.default)
    ? ` Default: ${JSON.stringify(node.default).replaceAll('"', '')}.`
    : '';
  return `${kind === '' ? '' : `${kind.charAt(0).toUpperCase()}${kind.slice(1)}.`}${fallback}${isRequired ? ' Required.' : ''}`;
}

/** An empty one says no more than that the key may be left out. */
function isTold(value: unknown): boolean {
  return value !== undefined && JSON.stringify(value) !== '{}' && JSON.stringify(value) !== '[]';
}

function kindText(node: Node): string {
  if (node.const !== undefined) return JSON.stringify(node.const);
  if (node.enum !== undefined) return `one of ${node.enum.map((value) => String(value)).join(', ')}`;
  if (node.anyOf !== undefined) return formsText(node.anyOf);
  if (typeof node.type === 'object') return formsText(node.type.map((type) => ({ ...node, type })));
  switch (node.type) {
    case 'integer':
      return `a whole number${boundsText(node)}`;
    case 'number':
      return `a number${boundsText(node)}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return `a list${node.minItems === undefined ? '' : ` of ${node.minItems} or more`}`;
    case 'object':
      return '';
    default:
      return 'text';
  }
}

function formsText(forms: readonly Node[]): string {
  const kinds = [...new Set(forms.map((form) => (form.type === 'object' ? 'keys' : kindText(form))))];
  return kinds.filter((kind) => kind !== '').join(', or ');
}

function boundsText({ minimum, maximum }: Node): string {
  // What fits an integer of JavaScript is no bound of ours.
  const isBound = (value: number | undefined): value is number =>
    value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  if (isBound(minimum) && isBound(maximum)) return ` from ${minimum} to ${maximum}`;
  if (isBound(minimum)) return ` from ${minimum}`;
  return isBound(maximum) ? ` up to ${maximum}` : '';
}
