/** The status document as a table for people: uplinks first, then what an operator must know. Pure. */
import type {
  AnnouncementStatus,
  FamilyStatus,
  OverrideStatus,
  StatusDocument,
  UplinkStatus,
} from '../types/wire/status.ts';
import type { HealthState } from '../types/wire/enums.ts';
import { subjectText } from '../core/overrides/selection.ts';
import { unreachable } from '../types/unreachable.ts';
import { serviceTexts } from './status-services.ts';
import { tellTexts } from './status-tell.ts';
import { duration, milliseconds, percent } from './quantities-text.ts';
import { paint, table, type Cell, type Colour, type TableOptions } from './table.ts';
import { wrap } from './text-width.ts';

type FamilyKey = '4' | '6';
const familyKeys: readonly FamilyKey[] = ['4', '6'];

/** All of `causeway status`, no line wider than `columns`; ends without a newline. */
export function renderStatus(document: StatusDocument, options: TableOptions): string {
  return [
    ...headline(document, options),
    ...uplinkLines(document, options),
    ...section('FROZEN', frozenTexts(document), 'red', options),
    ...section('services', serviceTexts(document, duration), 'dim', options),
    ...section('overrides', document.overrides.map(overrideText), 'yellow', options),
    ...section(
      'alarms',
      document.alarms.map((alarm) => `${alarm.code}: ${alarm.text} (since ${alarm.since})`),
      'red',
      options,
    ),
    ...section('told', tellTexts(document, duration), 'yellow', options),
    ...section('shadow policy', shadowTexts(document), 'dim', options),
  ].join('\n');
}

function shadowTexts({ shadow }: StatusDocument): readonly string[] {
  if (shadow === undefined) return [];
  const now =
    shadow.disagreeing.length === 0 ? 'agrees now' : `disagrees now on ${shadow.disagreeing.join(', ')}`;
  return [`${now}; ${shadow.disagreements} disagreements in ${shadow.ticks} ticks`];
}

function headline(document: StatusDocument, options: TableOptions): readonly string[] {
  const late =
    document.tickAgeMillis >= 5000 ? `  TICK STUCK for ${Math.round(document.tickAgeMillis / 1000)} s` : '';
  const { bird, prober } = document;
  const cannotAct = bird.kind === 'unreachable' || (bird.kind === 'seen' && bird.restricted === true);
  const bad = late !== '' || cannotAct || prober.kind === 'unable';
  const text = `${document.node}  ${document.mode}  ${birdText(document)}  ${proberText(document)}${late}`;
  return wrap(text, options.columns, '', '  ').map((line) =>
    paint(line, bad ? 'red' : 'bold', options.colour),
  );
}

function birdText({ bird }: StatusDocument): string {
  switch (bird.kind) {
    case 'seen':
      return bird.restricted === true
        ? `BIRD ${bird.version} (restricted socket: nothing can be changed)`
        : `BIRD ${bird.version}`;
    case 'unreachable':
      return `BIRD unreachable (${bird.code} at ${bird.path})`;
    case 'starting':
      return 'BIRD not asked yet';
    default:
      return unreachable(bird);
  }
}

function proberText({ prober }: StatusDocument): string {
  switch (prober.kind) {
    case 'running':
      return `prober ${prober.engine}`;
    case 'starting':
      return 'prober starting';
    case 'unable':
      return `prober unable (${prober.code}: ${prober.text})`;
    case 'silent':
      return `prober silent (${prober.text})`;
    default:
      return unreachable(prober);
  }
}

const head = ['uplink', 'ip', 'health', 'loss', 'p95', 'regions', 'wish', 'seen'];

function uplinkLines(document: StatusDocument, options: TableOptions): readonly string[] {
  const entries = document.uplinks.flatMap((uplink) =>
    familyKeys.flatMap((key) => {
      const status = uplink.families[key];
      return status === undefined ? [] : [{ uplink, key, status }];
    }),
  );
  const lines = table(
    head,
    entries.map(({ uplink, key, status }) => row(uplink, key, status)),
    options,
  );
  const dimly = (line: string): string => paint(line, 'dim', options.colour);
  const below = entries.map(({ uplink, status }) =>
    details(uplink, status).flatMap((text) => indented(text, options).map(dimly)),
  );
  return lines.flatMap((line, index) => [line].concat(index === 0 ? [] : (below[index - 1] ?? [])));
}

function row(uplink: UplinkStatus, key: FamilyKey, status: FamilyStatus): readonly Cell[] {
  const regions = Object.values(status.regions);
  const good = regions.filter((region) => region.health === 'healthy').length;
  const wish = summary(status.announcements.map((each) => each.wish));
  const seen = summary(status.announcements.map((each) => each.seen));
  return [
    { text: uplink.uplink, colour: 'bold' },
    { text: `v${key}` },
    { text: status.health, colour: healthColour[status.health] },
    { text: percent(status.evidence.loss) },
    { text: milliseconds(status.evidence.rttP95Millis) },
    { text: regions.length === 0 ? '-' : `${good}/${regions.length}` },
    { text: wish, ...(wish === 'announce' ? {} : { colour: 'yellow' }) },
    { text: seen, ...(seen === 'exported' ? {} : { colour: 'yellow' }) },
  ];
}

const healthColour: Readonly<Record<HealthState, Colour>> = {
  healthy: 'green',
  degraded: 'yellow',
  failed: 'red',
  unknown: 'dim',
};

/** What a line cannot hold: why, which regions, what is held, what BIRD or the link says. Nothing for a healthy uplink. */
function details(uplink: UplinkStatus, status: FamilyStatus): readonly string[] {
  const lines: string[] = [];
  if (uplink.link !== 'up') lines.push(`interface ${uplink.interface}: link ${uplink.link}`);
  if (status.health !== 'healthy') {
    lines.push(`${status.reason}: ${status.text} (for ${duration(status.sinceSeconds)})`);
  }
  const regions = Object.entries(status.regions).filter(([, region]) => region.health !== 'healthy');
  if (regions.length > 0) {
    lines.push(
      `regions: ${regions.map(([name, region]) => `${name} ${region.health} (${region.reason})`).join(', ')}`,
    );
  }
  const idle = new Map(
    status.targets.flatMap(({ name, notRun }) => (notRun === null ? [] : [[notRun, name]])),
  );
  for (const [why, name] of idle) lines.push(`probes do not run: ${why} (${name} and others alike)`);
  if (status.session.state !== null && status.session.state !== 'Established') {
    lines.push(`session: ${status.session.state}${since(status.session.sinceText)}`);
  }
  for (const announcement of status.announcements) lines.push(...announcementLines(announcement));
  return lines;
}

function announcementLines(announcement: AnnouncementStatus): readonly string[] {
  const { service, wish, seen, reason, text, author, held, file } = announcement;
  const lines: string[] = [];
  if (reason !== 'healthy') {
    const by = author === 'causeway' ? '' : `, by ${author}`;
    lines.push(`${service}: ${wish}, seen ${seen} (${reason}${by}): ${text}`);
  }
  if (held !== null) {
    const left = held.remainingSeconds === null ? '' : `, ${duration(held.remainingSeconds)} left`;
    lines.push(`${service}: held: ${held.guard}${left}: ${held.text}`);
  }
  if (file === 'behind') lines.push(`${service}: file-behind: the owned file does not hold the wish yet`);
  return lines;
}

function overrideText(override: OverrideStatus): string {
  const { subject, state, author, reason, expires, remainingSeconds } = override;
  const left =
    remainingSeconds === undefined || remainingSeconds === null
      ? ''
      : ` (${duration(remainingSeconds)} left)`;
  const until = expires === null ? 'until released' : `until ${expires}${left}`;
  return `${subjectText(subject)}: ${state} by ${author}, ${until}: ${reason}`;
}

function frozenTexts({ freeze }: StatusDocument): readonly string[] {
  if (freeze === undefined || freeze === null) return [];
  return [
    `no verdict changes anything, by ${freeze.author} since ${freeze.at}: ${freeze.reason} (\`causeway thaw\` ends it)`,
  ];
}

function section(
  title: string,
  texts: readonly string[],
  colour: Colour,
  options: TableOptions,
): readonly string[] {
  if (texts.length === 0) return [];
  return [paint(title, colour, options.colour), ...texts.flatMap((text) => indented(text, options))];
}

/** What does not fit goes on in the next line: the end of a sentence is often what counts. */
function indented(text: string, { columns }: TableOptions): readonly string[] {
  return wrap(text, columns, '    ', '      ');
}

/** One word for all services: theirs where they agree. */
function summary(states: readonly string[]): string {
  const different = [...new Set(states)];
  if (different.length === 0) return '-';
  return different.length === 1 ? (different[0] ?? '-') : 'mixed';
}

function since(text: string | undefined): string {
  return text === undefined ? '' : ` since ${text}`;
}
