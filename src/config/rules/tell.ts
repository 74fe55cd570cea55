/** `geodns` and `webhooks`: keys that go together, bodies that become valid JSON, and tokens that would be overheard. */
import { fillTemplate, readTemplate } from '../../types/template.ts';
import { webhookValues } from '../../types/webhook.ts';
import type { ConfigPath } from '../leaf.ts';
import type { Finding } from '../problem.ts';
import { formatDuration } from '../quantities.ts';
import type { View, WebhookView } from '../view.ts';

export function checkTell(view: View): readonly Finding[] {
  return [...checkGeoDns(view), ...checkNames(view), ...view.webhooks.flatMap((one) => checkWebhook(one))];
}

function checkGeoDns({ root: { geodns } }: View): readonly Finding[] {
  if (geodns === undefined) return [];
  const path = ['geodns'];
  if (geodns.url !== undefined && geodns.urls !== undefined)
    return [
      { path: [...path, 'url'], where: 'key', found: 'url beside urls', allowed: 'one of url and urls' },
    ];
  if (geodns.url === undefined && geodns.urls === undefined)
    return [{ path, where: 'key', found: 'neither url nor urls', allowed: 'one of url and urls' }];
  if (geodns.deadline >= geodns.ttl) return [];
  const found = formatDuration(geodns.deadline);
  const allowed = `at least geodns.ttl (${formatDuration(geodns.ttl)}): answers of before are still in use then`;
  return [{ path: [...path, 'deadline'], where: 'value', found, allowed }];
}

function checkNames({ webhooks }: View): readonly Finding[] {
  const taken = new Set<string>();
  return webhooks.flatMap(({ path, self: { name } }): readonly Finding[] => {
    if (name === undefined || !taken.has(name)) {
      if (name !== undefined) taken.add(name);
      return [];
    }
    return [{ path: [...path, 'name'], where: 'value', allowed: 'a name that no other webhook has' }];
  });
}

function checkWebhook({ path, keys, self }: WebhookView): readonly Finding[] {
  const { preset, body, method } = self;
  const findings: Finding[] = [];
  const refuse = (key: string | null, found: string, allowed: string): void =>
    void findings.push({ path: key === null ? path : [...path, key], where: 'key', found, allowed });
  if (keys.has('url') === keys.has('url_file')) {
    const found = keys.has('url') ? 'both url and url_file' : 'neither url nor url_file';
    refuse(null, found, 'one of url and url_file');
  }
  const isBare = method === 'GET' || method === 'DELETE';
  if (!keys.has('preset') && !keys.has('body') && !isBare)
    refuse(null, 'neither preset nor body', 'a preset, or a body');
  if (keys.has('preset') && keys.has('body')) refuse('body', 'a body beside a preset', 'one of both');
  if (keys.has('preset') && keys.has('method'))
    refuse('method', 'a method beside a preset', 'none: the preset has its own');
  if (preset === 'pagerduty' && !keys.has('key_file'))
    refuse(null, 'no key_file', 'key_file with the routing key');
  if (preset !== 'pagerduty' && keys.has('key_file'))
    refuse('key_file', 'a key_file', 'one with preset: pagerduty alone');
  if (preset === 'remove-restore' && self.on?.includes('alarm') === true)
    findings.push({
      path: [...path, 'on'],
      where: 'value',
      found: 'alarm',
      allowed: 'withdraw, drain, announce',
    });
  if (!keys.has('preset') && body !== undefined) findings.push(...checkBody(path, self));
  return findings;
}

/** With what a carrier or an attacker could put into a sentence, the body must still be one JSON value. */
const nasty = 'a "quoted" \\ back, {{x}} </b> ü\u2028 \u0007 line\nnext, \ud800';

function checkBody(path: ConfigPath, { body = '', headers }: WebhookView['self']): readonly Finding[] {
  const type = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  const read = readTemplate(body, webhookValues, null);
  if (read.kind === 'bad' || !/json/i.test(type ?? 'application/json')) return [];
  const values = Object.fromEntries(webhookValues.map((name) => [name, nasty]));
  try {
    JSON.parse(fillTemplate(read.template, values));
    return [];
  } catch {
    const allowed =
      'a template of one JSON value, with {{json …}} for values and {{string …}} inside quotes; or another content-type among headers';
    return [{ path: [...path, 'body'], where: 'value', found: 'a body that does not become JSON', allowed }];
  }
}

/** A token in the clear is everybody's on the way. */
export function warnOfTell({ root: { geodns }, webhooks }: View): readonly Finding[] {
  const said = 'the token goes in the clear there: https:// keeps it';
  const urls = geodns?.urls ?? (geodns?.url === undefined ? [] : [geodns.url]);
  const own = urls.flatMap((url, index): readonly Finding[] => {
    const path = geodns?.urls === undefined ? ['geodns', 'url'] : ['geodns', 'urls', index];
    return isClear(url) ? [{ path, where: 'value', allowed: '', said }] : [];
  });
  const others = webhooks.flatMap(({ path, self }): readonly Finding[] => {
    const isOpen = self.token_file !== undefined && self.url !== undefined && isClear(self.url);
    return isOpen ? [{ path: [...path, 'url'], where: 'value', allowed: '', said }] : [];
  });
  return [...own, ...others];
}

function isClear(url: string): boolean {
  const host = /^http:\/\/(\[[^\]]*\]|[^/:?]+)/.exec(url)?.[1];
  return host !== undefined && host !== '[::1]' && host !== 'localhost' && !host.startsWith('127.');
}
