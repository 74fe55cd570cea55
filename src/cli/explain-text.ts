/**
 * `causeway explain UPLINK` as a colleague would say it: what is wrong and since when, the evidence, what the daemon did and
 * why, what it waits for, and what to type. Pure.
 */
import type { Explanation } from '../types/wire/answers.ts';
import type { HistoryEntry } from '../types/wire/history.ts';
import type {
  AnnouncementStatus,
  FamilyStatus,
  StatusDocument,
  TargetStatus,
  UplinkStatus,
} from '../types/wire/status.ts';
import type { Advice } from './advice.ts';
import { historyLine } from './history-text.ts';
import { duration, milliseconds, percent } from './quantities-text.ts';
import { paint, type Colour, type TableOptions } from './table.ts';
import { padded, widthOf, wrap } from './text-width.ts';

export interface Explained {
  readonly document: StatusDocument;
  readonly uplink: UplinkStatus;
  readonly announcements: readonly Explanation[];
  /** About the uplink, oldest first. */
  readonly history: readonly HistoryEntry[];
  readonly advice: readonly Advice[];
}

const labelWidth = 12;
const familyKeys = ['4', '6'] as const;
/** More targets than this would hide the rest. */
const mostTargets = 4;

/** No line is wider than `columns`; ends without a newline. */
export function explainText(explained: Explained, options: TableOptions): string {
  const { document, uplink, history, advice } = explained;
  const families = familyKeys.flatMap((key) => {
    const status = uplink.families[key];
    return status === undefined ? [] : [{ key, status }];
  });
  return [
    ...headLines(explained, options),
    ...families.flatMap(({ key, status }) => ['', ...familyLines(explained, key, status, options)]),
    ...(history.length === 0 ? [] : ['', paint('Lately', 'bold', options.colour)]),
    ...history.map((entry) => `  ${historyLine(entry, { ...options, columns: options.columns - 2 })}`),
    ...(document.alarms.length === 0 ? [] : ['', paint('Alarms of the node', 'red', options.colour)]),
    ...document.alarms.flatMap(({ code, text }) => wrap(`${code}: ${text}`, options.columns, '  ', '    ')),
    '',
    paint('What to type', 'bold', options.colour),
    ...advice.flatMap((one) => adviceLines(one, options)),
  ].join('\n');
}

/** The answer in one sentence. */
function headLines({ document, uplink }: Explained, options: TableOptions): readonly string[] {
  const statuses = Object.values(uplink.families).flatMap((one) => (one === undefined ? [] : [one]));
  const taken = statuses.flatMap(({ announcements }) =>
    announcements.filter(({ wish }) => wish !== 'announce'),
  );
  const differs = statuses.flatMap(({ announcements }) => announcements.filter(isOtherThanWished));
  const sick = statuses.filter(({ health }) => health === 'failed' || health === 'degraded');
  const unknown = statuses.filter(({ health }) => health === 'unknown');
  const text =
    `${uplink.uplink} on ${document.node} (carrier ${uplink.carrier}, ${uplink.interface}): ` +
    [
      uplink.link === 'up' ? '' : `its link is ${uplink.link}`,
      sick.length > 0 ? `measured ${[...new Set(sick.map(({ health }) => health))].join(' and ')}` : '',
      unknown.length > 0 ? 'not known how it is' : '',
      taken.length > 0 ? `${countOf(taken.length, 'announcement')} taken back` : '',
      differs.length > 0 ? 'BIRD does not show what is wished' : '',
    ]
      .filter((part) => part !== '')
      .join(', ');
  const isWell = sick.length + unknown.length + taken.length + differs.length === 0 && uplink.link === 'up';
  const whole = isWell ? `${text}healthy, and everything on it is announced` : text;
  const colour: Colour = isWell ? 'green' : taken.length > 0 || sick.length > 0 ? 'red' : 'yellow';
  const mode =
    document.mode === 'observe' ? ['Mode is observe: what follows is decided and shown, and not done.'] : [];
  const stuck =
    document.tickAgeMillis >= 5000
      ? [`The daemon has not decided anything for ${duration(document.tickAgeMillis / 1000)}.`]
      : [];
  return [
    ...wrap(whole, options.columns, '', '  ').map((line) => paint(line, colour, options.colour)),
    ...[...mode, ...stuck].flatMap((line) => wrap(line, options.columns, '', '  ')),
  ];
}

function familyLines(
  { announcements }: Explained,
  key: '4' | '6',
  status: FamilyStatus,
  options: TableOptions,
): readonly string[] {
  const { evidence, session, regions } = status;
  const explainedHere = announcements.filter(({ family }) => String(family) === key);
  const measured = explainedHere[0]?.lines[1];
  const bad = Object.entries(regions).filter(([, { health }]) => health !== 'healthy');
  const good = Object.entries(regions).filter(([, { health }]) => health === 'healthy');
  const line = (label: string, text: string): readonly string[] => labelled(label, text, options);
  return [
    paint(`IPv${key}: ${status.health} for ${duration(status.sinceSeconds)}`, 'bold', options.colour),
    ...line('why', `${status.reason}: ${status.text}`),
    ...line(
      'evidence',
      `${countOf(evidence.lost, 'probe')} of ${evidence.lost + evidence.answered} lost (${percent(evidence.loss)}), ` +
        `p95 ${milliseconds(evidence.rttP95Millis)}, ${evidence.badTargets} of ${countOf(evidence.targets, 'target')} bad` +
        (evidence.notRun === 0 ? '' : `, ${evidence.notRun} not run, which count against nobody`),
    ),
    ...(measured === undefined ? [] : line('', measured)),
    ...(bad.length === 0
      ? []
      : line(
          'regions',
          [
            ...bad.map(([name, { health, reason }]) => `${name} ${health} (${reason})`),
            ...(good.length === 0 ? [] : [`healthy: ${good.map(([name]) => name).join(', ')}`]),
          ].join('; '),
        )),
    ...worst(status.targets).flatMap((target, index) =>
      line(index === 0 ? 'targets' : '', targetText(target)),
    ),
    ...line(
      'session',
      session.state === null
        ? 'BIRD does not show it'
        : `${session.state}${session.sinceText === undefined ? '' : ` since ${session.sinceText}`}`,
    ),
    ...status.announcements.flatMap((one) =>
      announcementLines(
        one,
        explainedHere.find(({ service }) => service === one.service),
        options,
      ),
    ),
  ];
}

function announcementLines(
  one: AnnouncementStatus,
  explained: Explanation | undefined,
  options: TableOptions,
): readonly string[] {
  const [state, , next] = explained?.lines ?? [];
  const did = state ?? `${one.service} is wished ${one.wish}: ${one.reason}, ${one.text}`;
  const colour: Colour | null = one.wish === 'announce' ? null : 'yellow';
  return [
    ...labelled(one.service, did, options, colour),
    ...(isOtherThanWished(one)
      ? labelled('', `BIRD shows ${one.seen}; it is put right at each tick`, options)
      : []),
    ...(one.file === 'behind'
      ? labelled(
          '',
          'the owned file does not hold this yet (file-behind): a `configure` now would undo it',
          options,
        )
      : []),
    ...(next === undefined ? [] : labelled('waits for', next, options)),
  ];
}

function isOtherThanWished({ wish, seen }: AnnouncementStatus): boolean {
  return seen !== ({ announce: 'exported', drain: 'drained', withdraw: 'absent' } as const)[wish];
}

/** Those that are not well, the worst first. */
function worst(targets: readonly TargetStatus[]): readonly TargetStatus[] {
  return targets
    .filter(({ health, notRun }) => health === 'failed' || health === 'degraded' || notRun !== null)
    .toSorted((one, other) => (other.loss ?? 0) - (one.loss ?? 0))
    .slice(0, mostTargets);
}

function targetText({ name, address, region, health, loss, rttP95Millis, notRun }: TargetStatus): string {
  const idle = notRun === null ? '' : `; its probes do not run: ${notRun}`;
  return `${name} ${address} (${region}): ${health}, loss ${percent(loss)}, p95 ${milliseconds(rttP95Millis)}${idle}`;
}

function adviceLines({ command, effect }: Advice, options: TableOptions): readonly string[] {
  const oneLine = `  ${padded(command, 44)}  ${effect}`;
  if (widthOf(oneLine) <= options.columns && widthOf(command) <= 44) return [oneLine];
  return [`  ${command}`, ...wrap(effect, options.columns, '      ', '      ')];
}

function labelled(
  label: string,
  text: string,
  options: TableOptions,
  colour: Colour | null = null,
): readonly string[] {
  const first = `  ${padded(label, labelWidth - 2)}`;
  const lines = wrap(
    text,
    options.columns,
    `${first}${first.endsWith(' ') ? '' : ' '}`,
    ' '.repeat(labelWidth),
  );
  return lines.map((line) => paint(line, colour, options.colour));
}

function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
