/** What is known without the daemon, for people. Pure. */
import { subjectText } from '../core/overrides/selection.ts';
import type { WithoutDaemon } from '../types/wire/without-daemon.ts';
import { historyLine } from './history-text.ts';
import { paint, table, type Cell, type TableOptions } from './table.ts';
import { wrap } from './text-width.ts';

/** `uplink`: only what is about it; null: all. No line is wider than `columns`; ends without a newline. */
export function withoutDaemonText(
  found: WithoutDaemon,
  uplink: string | null,
  options: TableOptions,
): string {
  const head = 'The daemon does not answer. Nothing decides here now; BIRD goes on as it is.';
  return [
    paint(wrap(head, options.columns, '', '').join('\n'), 'red', options.colour),
    ...section('tried', found.tried, options),
    ...configLines(found, options),
    ...birdLines(found, options),
    ...announcementLines(found, uplink, options),
    ...section('from the state folder, as the next start reads it', stateTexts(found), options),
    ...historyLines(found, options),
    ...section('could not be read', found.unread, options),
    ...section(
      'what to type',
      [
        'systemctl status causeway        is it running, and how did it end',
        'journalctl -u causeway -n 50     what it said last',
        'causeway doctor                  what it needs and does not have',
        'systemctl start causeway         start it: it adopts what BIRD does now',
      ],
      options,
    ),
  ].join('\n');
}

function configLines({ config, node, mode }: WithoutDaemon, options: TableOptions): readonly string[] {
  if (config.problems.length > 0)
    return section(`config ${config.file} does not load`, config.problems, options);
  return section('config', [`${config.file} loads: node ${node ?? '?'}, mode ${mode ?? '?'}`], options);
}

function birdLines({ bird }: WithoutDaemon, options: TableOptions): readonly string[] {
  if (bird === null) return [];
  const text =
    bird.kind === 'seen'
      ? `BIRD ${bird.version} answers on ${bird.path}`
      : `BIRD does not answer either: ${bird.code} at ${bird.path}: ${bird.text}`;
  return section('BIRD', [text], options);
}

function announcementLines(
  { announcements, sessions, bird }: WithoutDaemon,
  uplink: string | null,
  options: TableOptions,
): readonly string[] {
  const shown = announcements.filter((one) => uplink === null || one.uplink === uplink);
  if (shown.length === 0 || bird === null) return [];
  const rows = shown.map((one): readonly Cell[] => {
    const session = sessions.find((each) => each.uplink === one.uplink && each.family === one.family);
    return [
      { text: one.uplink, colour: 'bold' },
      { text: one.service },
      { text: `v${one.family}` },
      { text: session?.state ?? '-' },
      { text: one.seen, ...(one.seen === 'exported' ? {} : { colour: 'yellow' }) },
      { text: one.file ?? 'not in it' },
      { text: one.description ?? '', colour: 'dim' },
    ];
  });
  return table(['uplink', 'service', 'ip', 'session', 'seen', 'in the file', 'why'], rows, options);
}

function stateTexts({ overrides, frozen }: WithoutDaemon): readonly string[] {
  return [
    ...(frozen ? ['frozen: no verdict will change anything until `causeway thaw`'] : []),
    ...overrides.map(
      ({ subject, state, author, reason, expires }) =>
        `${subjectText(subject)}: ${state} by ${author}, ${expires === null ? 'until released' : `until ${expires}`}: ${reason}`,
    ),
  ];
}

function historyLines({ history }: WithoutDaemon, options: TableOptions): readonly string[] {
  if (history.length === 0) return [];
  const narrower = { ...options, columns: options.columns - 4 };
  return [
    paint('lately', 'dim', options.colour),
    ...history.map((entry) => `    ${historyLine(entry, narrower)}`),
  ];
}

function section(title: string, texts: readonly string[], options: TableOptions): readonly string[] {
  if (texts.length === 0) return [];
  return [
    paint(title, 'dim', options.colour),
    ...texts.flatMap((text) => wrap(text, options.columns, '    ', '      ')),
  ];
}
