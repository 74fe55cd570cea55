/** `services.*.ready`: whether the service can answer on this node. One check, or a list of which all must be ready. */
import { z } from 'zod';
import type { ReadyCheck, ReadyProbe } from '../../types/ready-check.ts';
import { absolutePath, duration, text, wholeNumber } from '../fields.ts';
import { leaf } from '../leaf.ts';
import { parseEndpoint, parseReadyUrl } from '../ready-values.ts';
import { section } from '../section.ts';
import {
  dnsFlaws,
  dnsProbe,
  dnsSchema,
  haproxyProbe,
  haproxySchema,
  hostName,
  parseOwnAddress,
} from './ready-kinds.ts';

const unit =
  /^[A-Za-z0-9:_.@\\][A-Za-z0-9:_.@\\-]{0,240}\.(service|socket|target|mount|path|timer|device|swap|slice|scope)$/;

const checkSchema = section('services.*.ready', 'A readiness check, of exactly one kind.', {
  http: leaf(
    'An answer with status 200 to 399; http, https, or a Unix socket.',
    { type: 'string' },
    parseReadyUrl,
  ).optional(),
  tcp: leaf('A port that accepts connections.', { type: 'string' }, (value) =>
    parseEndpoint(value, null),
  ).optional(),
  dns: dnsSchema.optional(),
  systemd: text(
    'A unit that is active.',
    unit,
    'the name of a unit with its type, such as nginx.service',
  ).optional(),
  file: absolutePath('A path that is there.', 'file').optional(),
  file_absent: absolutePath(
    'A path that is not there: a flag file takes the service out.',
    'file',
  ).optional(),
  haproxy: haproxySchema.optional(),
  address: leaf(
    'An address that is on an interface, loopback included.',
    { type: 'string' },
    parseOwnAddress,
  ).optional(),
  expect: wholeNumber('With http: the one status that passes.', { min: 100, max: 599 }).optional(),
  body: text(
    'With http: what the body must hold, within its first 64 KiB.',
    /^[^\p{Cc}]{1,1000}$/u,
    'text of at most 1000 characters in one line',
  ).optional(),
  host: text(
    'With http: name in the Host header and of the certificate.',
    new RegExp(`^${hostName}(:[0-9]{1,5})?$`),
    'a domain name in ASCII',
  ).optional(),
  interval: duration('Time between two checks.', { min: 100, max: 300_000 }).prefault('1s'),
  timeout: duration('A check without an answer after this has failed.', { min: 10, max: 60_000 }).prefault(
    '1s',
  ),
  rise: wholeNumber('Passes in a row that make it ready.', { min: 1, max: 1000 }).prefault(2),
  fall: wholeNumber('Failures in a row that make it not ready.', { min: 1, max: 1000 }).prefault(3),
});

type CheckFile = z.output<typeof checkSchema>;

const kinds = ['http', 'tcp', 'dns', 'systemd', 'file', 'file_absent', 'haproxy', 'address'] as const;
const withHttp = ['expect', 'body', 'host'] as const;

const editor = z.toJSONSchema(checkSchema, { io: 'input', reused: 'inline' });
delete editor.$schema;

/** One check or a list of them; always a list when it is read. */
export const readySchema = z
  .unknown()
  .transform((value, context): readonly ReadyCheck[] => {
    const many = Array.isArray(value);
    const entries: readonly unknown[] = many ? value : [value];
    if (entries.length === 0 || entries.length > 20)
      context.issues.push({ code: 'custom', input: value, message: 'a check, or a list of 1 to 20 checks' });
    return entries.flatMap((entry, index) => {
      const parsed = checkSchema.safeParse(entry);
      const flaws = parsed.success ? flawsOf(parsed.data) : [];
      const issues = parsed.success ? flaws : parsed.error.issues;
      for (const issue of issues) {
        const place = {
          input: entry,
          path: [...(many ? [index] : []), ...issue.path],
          message: issue.message,
        };
        context.issues.push(
          issue.code === 'unrecognized_keys'
            ? { ...place, code: issue.code, keys: [...issue.keys], input: {} }
            : { ...place, code: 'custom' },
        );
      }
      return parsed.success && flaws.length === 0 ? [checkOf(parsed.data)] : [];
    });
  })
  .meta({
    description:
      'Whether the service can answer on this node: a check, or a list of which all must be ready.',
    anyOf: [editor, { type: 'array', items: editor, minItems: 1, maxItems: 20 }],
  });

type CheckIssue = { readonly code: 'custom'; readonly path: readonly string[]; readonly message: string };

/** What the keys say together. */
function flawsOf(check: CheckFile): readonly CheckIssue[] {
  const flaw = (path: readonly string[], message: string): CheckIssue => ({ code: 'custom', path, message });
  const [first, second] = kinds.filter((kind) => check[kind] !== undefined);
  const all = kinds.join(', ');
  if (first === undefined) return [flaw([], `a check with one of ${all}`)];
  if (second !== undefined)
    return [
      flaw([second], `one kind in a check, and ${first} stands here already: make a list of two checks`),
    ];
  const stray = withHttp.filter((key) => first !== 'http' && check[key] !== undefined);
  if (check.haproxy?.server !== undefined && check.haproxy.at_least !== undefined)
    return [flaw(['haproxy', 'at_least'], 'nothing beside server, which asks for that server alone')];
  return [
    ...stray.map((key) => flaw([key], `nothing: ${key} belongs to http, and this is a check of ${first}`)),
    ...(check.dns === undefined
      ? []
      : dnsFlaws(check.dns).map((message) => flaw(['dns', 'expect'], message))),
  ];
}

function checkOf(check: CheckFile): ReadyCheck {
  return {
    probe: probeOf(check),
    intervalMillis: check.interval,
    timeoutMillis: check.timeout,
    rise: check.rise,
    fall: check.fall,
  };
}

/** Exactly one kind is given: `flawsOf` has seen to it. */
function probeOf(check: CheckFile): ReadyProbe {
  const { http, tcp, dns, systemd, file, file_absent: absent, haproxy, address } = check;
  if (http !== undefined) {
    const { host = null, expect = null, body = null } = check;
    return { kind: 'http', ...http, host, expect, body };
  }
  if (tcp !== undefined) return { kind: 'tcp', to: tcp };
  if (dns !== undefined) return dnsProbe(dns);
  if (systemd !== undefined) return { kind: 'systemd', unit: systemd };
  if (file !== undefined) return { kind: 'file', path: file };
  if (absent !== undefined) return { kind: 'file_absent', path: absent };
  if (haproxy !== undefined) return haproxyProbe(haproxy);
  if (address !== undefined) return { kind: 'address', ...address };
  throw new Error('a readiness check without a kind');
}
