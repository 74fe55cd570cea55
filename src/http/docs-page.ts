/** The description of the routes as a page to read: plain HTML, nothing that moves. */

/** What is read of an OpenAPI document; the rest is left out. */
export interface DescribedPaths {
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description?: string | undefined;
  };
  readonly paths?: Readonly<Record<string, unknown>> | undefined;
}

export const docsStyle = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 56rem; margin: 0 auto; padding: 1rem }
h2 { margin: 2.5rem 0 0; font-size: 1.1rem }
code, h2 { font-family: ui-monospace, monospace }
table { border-collapse: collapse; margin: .5rem 0 }
td, th { text-align: left; vertical-align: top; padding: .2rem 1rem .2rem 0; border-bottom: 1px solid #8886 }
summary { cursor: pointer }
pre { overflow-x: auto; font-size: .8rem; line-height: 1.35 }
`;

export function docsPage({ info, paths = {} }: DescribedPaths): string {
  const routes = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(record(item)).map(([method, operation]) => routeHtml(method, path, record(operation))),
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(info.title)} HTTP</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<h1>${escaped(info.title)} ${escaped(info.version)}: HTTP</h1>
<p>${escaped(info.description ?? '')} <a href="/docs/json">OpenAPI as JSON</a>.</p>
${routes.join('\n')}
</body>
</html>
`;
}

function routeHtml(method: string, path: string, operation: Readonly<Record<string, unknown>>): string {
  const { summary, description, parameters, requestBody, responses, security } = operation;
  const needs = security === undefined ? '' : '<p>Needs a token (none over a control socket).</p>\n';
  const more = typeof description === 'string' ? `<p>${escaped(description)}</p>\n` : '';
  const asked = Array.isArray(parameters) ? parameters.map((one) => parameterRow(record(one))) : [];
  const body = schemaHtml('Body', record(requestBody)['content']);
  return `<section>
<h2 id="${escaped(`${method}-${path}`)}">${escaped(method.toUpperCase())} ${escaped(path)}</h2>
<p>${escaped(text(summary))}</p>
${more}${needs}${table(['parameter', 'in', 'meaning'], asked)}${body}${table(
  ['status', 'meaning'],
  Object.entries(record(responses)).map(([status, response]) => responseRow(status, record(response))),
)}${schemaHtml('Answer', record(record(responses)['200'])['content'])}</section>`;
}

function parameterRow(parameter: Readonly<Record<string, unknown>>): string {
  return row([
    `<code>${escaped(text(parameter['name']))}</code>`,
    escaped(text(parameter['in'])),
    escaped(text(parameter['description'])),
  ]);
}

function responseRow(status: string, response: Readonly<Record<string, unknown>>): string {
  return row([escaped(status), escaped(text(response['description']))]);
}

function schemaHtml(title: string, content: unknown): string {
  const [mediaType, media] = Object.entries(record(content))[0] ?? [];
  const schema = record(media)['schema'];
  if (mediaType === undefined || schema === undefined) return '';
  const shown = escaped(JSON.stringify(schema, null, 1));
  return `<details><summary>${title}: ${escaped(mediaType)}</summary><pre>${shown}</pre></details>\n`;
}

function table(heads: readonly string[], rows: readonly string[]): string {
  if (rows.length === 0) return '';
  const head = heads.map((name) => `<th scope="col">${name}</th>`).join('');
  return `<table><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table>\n`;
}

function row(cells: readonly string[]): string {
  return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function escaped(value: string): string {
  return value
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
