/** The channels in a protocol's details: `  Channel ipv4`, then its fields at an indent of four. */
import type { ChannelSeen } from '../../src/types/bird-view.ts';
import type { Family } from '../../src/types/units.ts';

/** The channels of both families; null if a known field of one cannot be read. Others (of pipes, roa4, …) are left out. */
export function parseChannels(details: readonly (string | null)[]): readonly ChannelSeen[] | null {
  const channels: ChannelSeen[] = [];
  for (const section of sections(details)) {
    const channel = parseChannel(section.family, section.lines);
    if (channel === null) return null;
    channels.push(channel);
  }
  return channels;
}

interface Section {
  readonly family: Family;
  readonly lines: string[];
}

function sections(details: readonly (string | null)[]): readonly Section[] {
  const found: Section[] = [];
  let open: Section | null = null;
  for (const line of details) {
    if (line === null) continue;
    if (/^ {2}\S/.test(line)) {
      const family = /^ {2}Channel ipv([46])$/.exec(line)?.[1];
      open = family === undefined ? null : { family: family === '4' ? 4 : 6, lines: [] };
      if (open !== null) found.push(open);
    } else open?.lines.push(line);
  }
  return found;
}

function parseChannel(family: Family, lines: readonly string[]): ChannelSeen | null {
  const state = lines.map((line) => /^ {4}State: +(\S+)$/.exec(line)?.[1]).find((word) => word !== undefined);
  const routes = lines.find((line) => line.startsWith('    Routes:'));
  if (state === undefined) return null;
  if (routes !== undefined && !/^ {4}Routes: +\d+ \w+(, \d+ \w+)*$/.test(routes)) return null;
  const count = (word: string): number | null =>
    number(new RegExp(`(\\d+) ${word}\\b`).exec(routes ?? '')?.[1]);
  /** First column: received. */
  const received = (label: string): number | null => {
    const row = lines.find((line) => line.startsWith(`      ${label}:`));
    return number(/^ {6}[\w ]+: +(\d+)\s/.exec(row ?? '')?.[1]);
  };
  return {
    family,
    state,
    imported: count('imported'),
    exported: count('exported'),
    importUpdates: received('Import updates'),
    importWithdraws: received('Import withdraws'),
    exportUpdates: received('Export updates'),
    exportWithdraws: received('Export withdraws'),
  };
}

function number(digits: string | undefined): number | null {
  const value = Number(digits);
  return digits === undefined || !Number.isSafeInteger(value) ? null : value;
}
