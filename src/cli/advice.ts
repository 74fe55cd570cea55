/** What an operator can type about an uplink as it stands now, each with what it does. Pure. */
import type { AnnouncementStatus, FamilyStatus, StatusDocument, UplinkStatus } from '../types/wire/status.ts';

export interface Advice {
  readonly command: string;
  /** What it shows or does. */
  readonly effect: string;
}

/** The most urgent first, each once; never empty. */
export function adviceFor(document: StatusDocument, uplink: UplinkStatus): readonly Advice[] {
  const statuses = Object.entries(uplink.families).flatMap(([key, status]) =>
    status === undefined ? [] : [{ key, status }],
  );
  const all = [
    ...nodeAdvice(document),
    ...linkAdvice(uplink),
    ...statuses.flatMap(({ key, status }) => familyAdvice(uplink, key, status)),
    ...statuses.flatMap(({ status }) =>
      status.announcements.flatMap((one) => announcementAdvice(uplink.uplink, one)),
    ),
  ];
  const once = [...new Map(all.map((one) => [one.command, one])).values()];
  return once.length > 0 ? once : [drainIt(uplink.uplink)];
}

function nodeAdvice({ bird, prober, freeze, mode }: StatusDocument): readonly Advice[] {
  return [
    ...(bird.kind === 'unreachable'
      ? [
          { command: 'causeway doctor', effect: 'says what keeps the daemon from BIRD, and what mends it' },
          { command: 'systemctl status bird', effect: 'whether BIRD runs' },
        ]
      : []),
    ...(prober.kind === 'unable' || prober.kind === 'silent'
      ? [{ command: 'causeway doctor', effect: 'says what keeps the prober from probing' }]
      : []),
    ...(freeze === undefined || freeze === null
      ? []
      : [{ command: 'causeway thaw --dry-run', effect: 'shows what changes when the freeze ends' }]),
    ...(mode === 'observe'
      ? [
          {
            command: 'causeway diff',
            effect: 'mode is observe: nothing acts; shows what an apply would bring',
          },
        ]
      : []),
  ];
}

function linkAdvice({ link, interface: device }: UplinkStatus): readonly Advice[] {
  if (link === 'up') return [];
  return [{ command: `ip -br link show dev ${device}`, effect: `the link of this uplink is ${link}` }];
}

function familyAdvice(
  { uplink }: UplinkStatus,
  key: string,
  { targets, session }: FamilyStatus,
): readonly Advice[] {
  const idle = targets.some(({ notRun }) => notRun !== null);
  const isUp = session.state === null || session.state === 'Established';
  return [
    ...(idle
      ? [{ command: 'causeway routing --check', effect: 'why probes do not run, and what mends it' }]
      : []),
    ...(isUp
      ? []
      : [
          {
            command: `birdc show protocols all bgp_${uplink}${key}`,
            effect: `why the session is ${session.state}`,
          },
        ]),
  ];
}

function announcementAdvice(uplink: string, one: AnnouncementStatus): readonly Advice[] {
  const found: Advice[] = [];
  if (one.file === 'behind')
    found.push({ command: 'causeway doctor', effect: 'why the owned file cannot be written' });
  if (one.held !== null && isHeldUp(one))
    found.push({
      command: `causeway force withdraw ${uplink} --last --for 30min --reason TEXT`,
      effect: `take it out all the same, though ${one.held.guard} holds it`,
    });
  switch (one.reason) {
    case 'override':
      found.push({
        command: `causeway release ${uplink}`,
        effect: 'end the override; the verdicts decide again',
      });
      break;
    case 'not-ready':
    case 'booting':
      found.push({ command: 'causeway doctor', effect: `asks each check of service ${one.service} once` });
      break;
    case 'maintenance':
      found.push(forceIt(uplink, 'announce it in spite of the window'));
      break;
    default:
      if (one.wish !== 'announce' && one.author === 'causeway')
        found.push(forceIt(uplink, 'announce it whatever is measured'));
  }
  return found;
}

/** Whether a guard keeps announced what a verdict would take out. */
function isHeldUp({ wish, held }: AnnouncementStatus): boolean {
  return (
    wish !== 'withdraw' && held !== null && !['frozen', 'hold', 'canary', 'samples'].includes(held.guard)
  );
}

function forceIt(uplink: string, effect: string): Advice {
  return { command: `causeway force announce ${uplink} --for 30min --reason TEXT`, effect };
}

function drainIt(uplink: string): Advice {
  return {
    command: `causeway drain ${uplink} --for 2h --reason TEXT`,
    effect: 'nothing needs to be done; this makes users leave it for two hours',
  };
}
