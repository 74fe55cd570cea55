/** The announce_ and drain_ pairs: who has the higher preference is what the carrier gets. */
import type { NodeConfig } from '../../src/types/config.ts';
import { announceName, drainName, tableName } from '../../src/types/protocol-names.ts';
import type { FileState } from '../file-states.ts';
import { section, statefulBlock } from './block.ts';
import { type Announcement, announcementsOf } from './parts.ts';

const announcePreference = 200;
const drainPreference = 220;

/** What one of the pair sets on its routes. */
interface Marks {
  readonly med: number;
  readonly prepend: number;
  readonly gshut: boolean;
}

export function renderAnnouncements(
  config: NodeConfig,
  stateOf: (name: string) => FileState,
): readonly string[] {
  const drainMarks: Marks = config.policy.drain;
  const lines = announcementsOf(config).flatMap((announcement) => {
    const { uplink, service, family } = announcement;
    const announce = announceName(uplink.name, service.name, family);
    const drain = drainName(uplink.name, service.name, family);
    const marks: Marks = { med: uplink.med, prepend: uplink.prepend, gshut: false };
    const heading = `# services.${service.name}.prefixes on uplinks.${uplink.name} (med, prepend), IPv${family}`;
    return [heading].concat(
      pairMember(announcement, announce, stateOf(announce), announcePreference, marks),
      pairMember(announcement, drain, stateOf(drain), drainPreference, drainMarks),
    );
  });
  return section(
    [
      'announcements: announce_ up and drain_ down announces, drain_ up drains (policy.drain), both down withdraws.',
      'Disabling one touches no session and no other uplink. `configure` and a restart of BIRD take the states from here.',
    ],
    lines,
  );
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
  ].join(' ');
  return statefulBlock(`protocol static ${name}`, state, [
    `ipv${family} { table ${tableName(uplink.name, family)}; preference ${preference}; };`,
    ...prefixes.map((prefix) => `route ${prefix} reject { ${set} };`),
  ]);
}
