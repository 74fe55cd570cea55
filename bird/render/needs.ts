/** What a config asks of BIRD that not every supported version has. Checked before anything is written. */
import type { NodeConfig } from '../../src/types/config.ts';

export interface VersionNeed {
  /** Path in the config, such as `uplinks.cmi.peer.ao_keys`. */
  readonly path: string;
  readonly what: string;
  /** Oldest version that has it, such as `2.17`. */
  readonly since: string;
}

/** All needs, in the order of the config. */
export function versionNeeds(config: NodeConfig): readonly VersionNeed[] {
  return config.uplinks
    .filter(({ peer }) => peer.session.aoKeys.length > 0)
    .map(({ name }) => ({ path: `uplinks.${name}.peer.ao_keys`, what: 'TCP-AO', since: '2.17' }));
}

/**
 * One sentence for each need that `version` (as BIRD prints it, `2.0.12`) does not meet; empty where all are met. A text
 * that is no version meets nothing.
 */
export function unmetNeeds(config: NodeConfig, version: string): readonly string[] {
  return versionNeeds(config)
    .filter(({ since }) => !isAtLeast(version, since))
    .map(
      ({ path, what, since }) =>
        `${path}: ${what} needs BIRD ${since} or newer, and this is ${version}: leave it out, or bring BIRD up to date`,
    );
}

function isAtLeast(version: string, since: string): boolean {
  const numbers = /^(\d+)\.(\d+)/.exec(version);
  const [major = 0, minor = 0] = since.split('.').map(Number);
  if (numbers === null) return false;
  const [, ownMajor, ownMinor] = numbers.map(Number);
  return Number(ownMajor) > major || (Number(ownMajor) === major && Number(ownMinor) >= minor);
}
