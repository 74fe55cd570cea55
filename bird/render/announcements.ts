/** The announce_ and drain_ pairs: who has the higher preference is what the carrier gets. */
import type { Community } from '../../src/types/community.ts';
import type { NodeConfig } from '../../src/types/config.ts';
import { announceName, drainName, tableName } from '../../src/types/protocol-names.ts';
import { unreachable } from '../../src/types/unreachable.ts';
import { type FileState, stateLines } from '../file-states.ts';
import { section } from './block.ts';
import { type Announcement, announceMarks, announcementsOf, drainMarks, type Marks } from './parts.ts';

const announcePreference = 200;
const drainPreference = 220;

export function renderAnnouncements(
  config: NodeConfig,
  stateOf: (name: string) => FileState,
): readonly string[] {
  const lines = announcementsOf(config).flatMap((announcement) => {
    const { uplink, service, family } = announcement;
    const announce = announceName(uplink.name, service.name, family);
    const drain = drainName(uplink.name, service.name, family);
    return [
      ...headingOf(announcement),
      ...pairMember(
        announcement,
        announce,
        stateOf(announce),
        announcePreference,
        announceMarks(announcement),
      ),
      ...pairMember(announcement, drain, stateOf(drain), drainPreference, drainMarks(config, announcement)),
    ];
  });
  return section(
    [
      'announcements: announce_ up and drain_ down announces, drain_ up drains (policy.drain), both down withdraws.',
      'Disabling one touches no session and no other uplink. `configure` and a restart of BIRD take the states from here.',
    ],
    lines,
  );
}

/** Where the prefixes and their attributes come from. */
function headingOf({ uplink, service, family }: Announcement): readonly string[] {
  const [theirs, own] = [`uplinks.${uplink.name}`, `services.${service.name}.uplinks.${uplink.name}`];
  const given = service.uplinks.get(uplink.name);
  const from = (key: 'med' | 'prepend' | 'communities'): string => (isGiven(given?.[key]) ? own : theirs);
  const keys = (['med', 'prepend', 'communities'] as const).filter(
    (key) => key !== 'communities' || uplink.communities.length > 0 || from(key) === own,
  );
  const placed = keys.map((key) => `${from(key)}.${key}`).join(', ');
  const drainFrom = isGiven(given?.drainCommunities) ? own : theirs;
  const drained =
    uplink.drainCommunities.length > 0 || drainFrom === own
      ? `; drained: policy.drain, ${drainFrom}.drain_communities`
      : '';
  return [
    `# services.${service.name}.prefixes, IPv${family}; ${placed}${drained}`,
    ...(given?.state === 'backup' ? [`# ${own}.state is backup: drained unless it is needed`] : []),
  ];
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function pairMember(
  { uplink, family, prefixes }: Announcement,
  name: string,
  state: FileState,
  preference: number,
  marks: Marks,
): readonly string[] {
  const set = [
    `causeway_med = ${marks.med};`,
    ...(marks.prepend > 0 ? [`causeway_prepend = ${marks.prepend};`] : []),
    ...(marks.gshut ? ['causeway_gshut = 1;'] : []),
    ...marks.communities.map((community) => addCommunity(community)),
  ].join(' ');
  const attributes = ` reject { ${set} };`;
  return [
    `protocol static ${name} {`,
    ...stateLines(state),
    `  ipv${family} { table ${tableName(uplink.name, family)}; preference ${preference}; };`,
    ...prefixes.map((prefix) => `  route ${prefix}${attributes}`),
    '}',
  ];
}

/** From numbers: pasted text such as `64500:100` would pass `bird -p` of 2.0.12 and then keep the route off the carrier. */
function addCommunity(community: Community): string {
  const numbers = community.numbers.join(',');
  switch (community.kind) {
    case 'standard':
      return `bgp_community.add((${numbers}));`;
    case 'large':
      return `bgp_large_community.add((${numbers}));`;
    default:
      return unreachable(community);
  }
}
