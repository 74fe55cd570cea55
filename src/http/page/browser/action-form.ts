/** What a reader can ask for, the form of it, and the command that the filled form makes. */
import type { StatusDocument } from '../../../types/wire/status.ts';
import type { Command } from './commands.ts';
import { h, type Child, type Spec } from './element.ts';
import { recall } from './remembered.ts';
import { subjectWords } from './subject.ts';
import type { Words } from './words.ts';

type Override = StatusDocument['overrides'][number];
type Place = {
  readonly uplink: string | null;
  readonly service: string | null;
  readonly family: 4 | 6 | null;
};

export type Action =
  | { readonly kind: 'override'; readonly uplink: string | null; readonly family: 4 | 6 | null }
  | { readonly kind: 'release'; readonly override: Override }
  | { readonly kind: 'freeze' }
  | { readonly kind: 'thaw' };

const lengthMillis: Readonly<Record<string, number>> = {
  '15min': 900_000,
  '1h': 3_600_000,
  '2h': 7_200_000,
  '8h': 28_800_000,
  '24h': 86_400_000,
};
const usualLength = '2h';

/** The fields, with what is known of them filled in. */
export function formFields(
  action: Action,
  status: StatusDocument,
  words: Words,
  asksToken: boolean,
): readonly Child[] {
  const asksReason = action.kind === 'override' || action.kind === 'freeze';
  return [
    action.kind === 'release'
      ? h(
          'p',
          {},
          h('strong', {}, subjectWords(action.override.subject, words)),
          ` ${action.override.reason}`,
        )
      : null,
    ...(action.kind === 'override' ? overrideFields(action, status, words) : []),
    asksReason
      ? field(
          words.reasonLabel,
          h('input', { name: 'reason', required: true, maxlength: '200', autocomplete: 'off' }),
        )
      : null,
    field(
      words.authorLabel,
      h('input', {
        name: 'author',
        required: true,
        maxlength: '64',
        pattern: '[A-Za-z0-9][A-Za-z0-9._@+\\-]{0,63}',
        value: recall('author') ?? '',
        autocomplete: 'username',
      }),
    ),
    status.fleet === undefined
      ? null
      : h(
          'label',
          { class: 'check' },
          h('input', { type: 'checkbox', name: 'fleet', checked: isOfTheFleet(action, status) }),
          words.fleetLabel,
        ),
    asksToken
      ? field(
          words.tokenLabel,
          h('input', { name: 'token', type: 'password', maxlength: '1024', autocomplete: 'off' }),
          words.tokenHint,
        )
      : null,
  ];
}

/** What ends was said to the whole fleet, so its end is too. */
function isOfTheFleet(action: Action, { freeze }: StatusDocument): boolean {
  if (action.kind === 'release') return action.override.scope === 'fleet';
  return action.kind === 'thaw' && freeze?.scope === 'fleet';
}

function overrideFields(
  { uplink, family }: Extract<Action, { kind: 'override' }>,
  status: StatusDocument,
  words: Words,
): readonly Spec[] {
  const services = [
    ...new Set(
      status.uplinks.flatMap(({ families }) =>
        [families['4'], families['6']].flatMap(
          (one) => one?.announcements.map(({ service }) => service) ?? [],
        ),
      ),
    ),
  ];
  return [
    field(words.whatLabel, select('state', Object.entries(words.states), 'drain')),
    field(
      words.whomLabel,
      select(
        'uplink',
        [...status.uplinks.map((one) => [one.uplink, one.uplink] as const), ['', words.wholeNode]],
        uplink ?? '',
      ),
    ),
    field(
      words.serviceLabel,
      select('service', [['', words.allServices], ...services.map((name) => [name, name] as const)], ''),
    ),
    field(
      words.familyLabel,
      select(
        'family',
        [
          ['', words.bothFamilies],
          ['4', words.family(4)],
          ['6', words.family(6)],
        ],
        family === null ? '' : String(family),
      ),
    ),
    field(words.lengthLabel, select('length', Object.entries(words.lengths), usualLength)),
  ];
}

/** The command that the form says; `last`: the reader saw that it is the last one, and means it. */
export function commandOf(action: Action, form: FormData, last: boolean): Command {
  const command = nodeCommandOf(action, form, last);
  return form.get('fleet') === null ? command : { ...command, body: { ...command.body, fleet: true } };
}

function nodeCommandOf(action: Action, form: FormData, last: boolean): Command {
  const text = (name: string): string => {
    const value = form.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  const author = text('author');
  switch (action.kind) {
    case 'override':
      return {
        path: 'v1/overrides',
        body: {
          selection: selectionOf(text('uplink'), text('service'), text('family')),
          state: text('state'),
          author,
          reason: text('reason'),
          ends: endsOf(text('length')),
          last,
        },
      };
    case 'release':
      return {
        path: 'v1/release',
        body: { selection: selectionAround(action.override), states: [action.override.state], author },
      };
    case 'freeze':
      return { path: 'v1/freeze', body: { author, reason: text('reason') } };
    case 'thaw':
      return { path: 'v1/thaw', body: { author } };
    default:
      return action satisfies never;
  }
}

function selectionOf(uplink: string, service: string, family: string): Place {
  return {
    uplink: uplink === '' ? null : uplink,
    service: service === '' ? null : service,
    family: family === '4' ? 4 : family === '6' ? 6 : null,
  };
}

function selectionAround({ subject }: Override): Place {
  switch (subject.kind) {
    case 'selection':
    case 'announcement':
      return { uplink: subject.uplink, service: subject.service, family: subject.family };
    case 'egress':
    case 'session':
      return { uplink: subject.uplink, service: null, family: subject.family };
    default:
      return subject satisfies never;
  }
}

function endsOf(length: string): { readonly kind: string; readonly millis?: number } {
  const millis = lengthMillis[length];
  return millis === undefined ? { kind: 'never' } : { kind: 'after', millis };
}

function field(label: string, input: Spec, hint = ''): Spec {
  return h(
    'label',
    {},
    h('span', {}, label),
    input,
    hint === '' ? null : h('span', { class: 'beside' }, hint),
  );
}

function select(name: string, options: readonly (readonly [string, string])[], chosen: string): Spec {
  return h(
    'select',
    { name },
    ...options.map(([value, text]) => h('option', { value, selected: value === chosen }, text)),
  );
}
