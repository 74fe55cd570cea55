/** Head of the file: whose it is, and what only a whole config says. */
import type { NodeConfig } from '../../src/types/config.ts';
import { firstLine } from '../file-states.ts';

export function renderHeader(config: NodeConfig): readonly string[] {
  const about = [
    firstLine,
    `# Node ${config.node.name}, site ${config.node.site}. The present wish stands in the disabled and description lines.`,
    '# One table for each uplink and family holds what the carrier sends and what is announced to it, and nothing else.',
    '# By hand, and kept until `birdc enable` or `causeway release`:  birdc disable \'"*_UPLINK_SERVICE4"\' "reason"',
  ];
  // Times with date and milliseconds can be compared; BIRD's default shows no date for 20 hours and then no time.
  const times = ['timeformat base iso long ms;', 'timeformat protocol iso long ms;'];
  switch (config.bird.layout) {
    case 'include':
      return [
        ...about,
        "# bird.layout is include: the operator's bird.conf includes this file and has what is not here, namely log, router id,",
        '# protocol device, the kernel protocols that export master4 and master6 to the main table, and the anycast prefixes there.',
        '',
        ...times,
      ];
    case 'whole':
      return [
        ...about,
        '# bird.layout is whole: this is all of the configuration of BIRD.',
        '',
        'log syslog all;',
        `router id ${config.node.routerId};  # node.router_id`,
        ...times,
        'timeformat log iso long ms;',
        'timeformat route iso long ms;',
        '',
        'protocol device { scan time 10; }',
      ];
  }
}
