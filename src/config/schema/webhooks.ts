/** `webhooks`: any other API that is told. */
import { z } from 'zod';
import { readTemplate } from '../../types/template.ts';
import { webhookEvents, webhookPresets, webhookValues } from '../../types/webhook.ts';
import { absolutePath, choice, duration, text } from '../fields.ts';
import { bad, leaf, ok } from '../leaf.ts';
import { section } from '../section.ts';

const urlAllowed = 'http://… or https://…, in which {{uplink}} and the like may stand behind the host';

const url = leaf(
  'Where it is told; `{{carrier}}` and the like are percent-encoded.',
  { type: 'string', pattern: '^https?://' },
  (value) => {
    if (typeof value !== 'string' || value.length > 2000 || /[\s"\\\p{Cc}]/u.test(value))
      return bad<string>(urlAllowed);
    const read = readTemplate(value, webhookValues, 'url');
    if (read.kind === 'bad') return bad<string>(read.text);
    if (!/^https?:\/\/[^/{}]+(?:$|[/?])/.test(value)) return bad<string>(urlAllowed);
    return URL.canParse(value.replaceAll(/\{\{.*?\}\}/g, 'x')) ? ok(value) : bad<string>(urlAllowed);
  },
);

const headerValue = leaf('Value of a header.', { type: 'string' }, (value) => {
  const allowed = 'printable text of at most 1000 characters';
  if (typeof value !== 'string' || !/^[\u0020-\u007e]{0,1000}$/.test(value)) return bad<string>(allowed);
  const read = readTemplate(value, webhookValues, 'text');
  return read.kind === 'bad' ? bad<string>(read.text) : ok(value);
});

const headers = z
  .record(z.string().regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/, { error: 'the name of a header' }), headerValue, {
    error: 'a mapping from names of headers to their values',
  })
  .refine((map) => Object.keys(map).length <= 20, { error: 'at most 20 headers' })
  .meta({ description: 'Added to each request; values may have `{{…}}` in them.' });

const body = leaf(
  'Body of each request; every value says what it is escaped for: `{{json uplink}}`, `{{string reason}}`, `{{form …}}`, `{{url …}}`, `{{text …}}`.',
  { type: 'string' },
  (value) => {
    if (typeof value !== 'string' || value.length > 16_384)
      return bad<string>('a text of at most 16384 characters');
    const read = readTemplate(value, webhookValues, null);
    return read.kind === 'bad' ? bad<string>(read.text) : ok(value);
  },
);

export const webhookSchema = section('webhooks.*', 'An API that is told.', {
  name: text(
    'Its name in logs, status and alarms.',
    /^[a-z][a-z0-9-]{0,31}$/,
    'a name: a small letter, then up to 31 small letters, digits or hyphens',
  ),
  preset: choice(
    'A known kind of API; without it, `body` says what is sent. json: all values as one JSON object.',
    webhookPresets,
  ).optional(),
  url: url.optional(),
  url_file: absolutePath('File with the URL, where the URL is a secret.', 'file').optional(),
  on: z
    .array(choice('An event.', webhookEvents), { error: `a list of ${webhookEvents.join(', ')}` })
    .min(1, { error: 'at least one event' })
    .meta({ description: 'What it is told; default: everything that its preset knows.' })
    .optional(),
  method: choice('Method of the request; default: POST.', [
    'POST',
    'PUT',
    'PATCH',
    'GET',
    'DELETE',
  ]).optional(),
  headers: headers.optional(),
  body: body.optional(),
  token_file: absolutePath(
    'File with a token for `Authorization: Bearer`, read at each request.',
    'file',
  ).optional(),
  secret_file: absolutePath(
    'File with the secret that signs each request (webhook-signature).',
    'file',
  ).optional(),
  key_file: absolutePath('Of pagerduty: file with the routing key.', 'file').optional(),
  ca_file: absolutePath(
    'File with the authorities that are believed; default: those of the system.',
    'file',
  ).optional(),
  timeout: duration('For each request.', { min: 50, max: 60_000 }).prefault('5s'),
  repeat: duration(
    'What is drained or withdrawn is told again after this; 0: it is told once. Default: 60s for remove-restore, else 0.',
    { min: 0, max: 86_400_000 },
  ).optional(),
});

export const webhooksSchema = z
  .array(webhookSchema, { error: 'a list of webhooks' })
  .max(20, { error: 'at most 20 webhooks' })
  .meta({ description: 'Other APIs that are told when an uplink or an alarm changes.' })
  .prefault([]);
