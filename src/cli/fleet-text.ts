/** The fleet as a table: a row for each node and service, a column for each carrier. Pure. */
import type { FleetStatus } from '../types/wire/fleet-status.ts';
import { type Cell, paint, table, type TableOptions } from './table.ts';

type Node = FleetStatus['nodes'][number];
type Announcement = Node['announcements'][number];

export function renderFleet(fleet: FleetStatus, options: TableOptions): string {
  const carriers = [
    ...new Set(fleet.nodes.flatMap(({ announcements }) => announcements.map(({ carrier }) => carrier))),
  ].toSorted();
  const rows = fleet.nodes.flatMap((node) => rowsOf(node, carriers));
  return [
    ...linkLines(fleet, options),
    '',
    ...table(['NODE', 'SITE', 'SERVICE', ...carriers.map((name) => name.toUpperCase())], rows, options),
    ...groupLines(fleet),
    ...(fleet.findings.length === 0 ? [] : ['']),
    ...fleet.findings.map(({ text }) => paint(`! ${text}`, 'yellow', options.colour)),
  ].join('\n');
}

function linkLines(
  { redis, link, text, consentInSeconds }: FleetStatus,
  { colour }: TableOptions,
): readonly string[] {
  const shade = link === 'reading' ? 'green' : 'red';
  const wait =
    consentInSeconds === null || consentInSeconds === 0 ? '' : ` (consent in ${consentInSeconds} s)`;
  return [`Redis ${redis}: ${paint(link, shade, colour)}, ${text}${wait}`];
}

function rowsOf(node: Node, carriers: readonly string[]): readonly (readonly Cell[])[] {
  const base = node.base === undefined || node.base === 'steady' ? '' : node.base;
  const marks = [node.frozen ? 'frozen' : '', node.mode === 'observe' ? 'observe' : '', base].filter(
    (mark) => mark !== '',
  );
  const name: Cell = {
    text: `${node.node}${node.self ? ' *' : ''}${marks.length === 0 ? '' : ` (${marks.join(', ')})`}`,
    colour: 'bold',
  };
  const site: Cell = { text: node.site === '' ? '-' : node.site };
  if (node.state === 'unknown') return [[name, site, { text: `unknown: ${node.why ?? ''}`, colour: 'red' }]];
  const groups = [...new Set(node.announcements.map((one) => `${one.service} IPv${one.family}`))];
  if (groups.length === 0) return [[name, site, { text: 'announces nothing', colour: 'dim' }]];
  return groups.map((group, at) => [
    at === 0 ? name : { text: '' },
    at === 0 ? site : { text: '' },
    { text: group },
    ...carriers.map((carrier) => cellOf(node.announcements, group, carrier)),
  ]);
}

const shades: Readonly<Record<Announcement['state'], Cell['colour']>> = {
  announces: 'green',
  failed: 'red',
  'not-ready': 'red',
  leaving: 'yellow',
  drained: 'yellow',
  absent: 'yellow',
  'session-down': 'red',
  unknown: 'dim',
};

/** A node may have several uplinks of one carrier. */
function cellOf(announcements: readonly Announcement[], group: string, carrier: string): Cell {
  const own = announcements.filter(
    (one) => one.carrier === carrier && `${one.service} IPv${one.family}` === group,
  );
  const [first] = own;
  if (first === undefined) return { text: '-', colour: 'dim' };
  const states = [...new Set(own.map(({ state }) => state))];
  const shade = shades[first.state];
  return { text: states.join('/'), ...(shade === undefined ? {} : { colour: shade }) };
}

/** What the fleet would say if this node had to leave. */
function groupLines({ groups }: FleetStatus): readonly string[] {
  if (groups.length === 0) return [];
  const said: Readonly<Record<FleetStatus['groups'][number]['consent'], string>> = {
    given: 'consents',
    refused: 'no consent',
    silent: 'silent',
  };
  return [
    '',
    ...groups.map(
      ({ service, family, consent, text }) => `${service} IPv${family}: ${said[consent]}, ${text}`,
    ),
  ];
}
