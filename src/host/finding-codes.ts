/**
 * Every finding that `causeway doctor` can make, by its code. Codes are part of the contract: scripts and alerts rely on
 * them. docs/errors.md is made from this table, and a test finds it stale.
 */

export interface FindingMeaning {
  /** wrong: the node cannot do its work; warning: it can, but not as well or not for long. */
  readonly level: 'wrong' | 'warning';
  /** One sentence. */
  readonly means: string;
}

const wrong = (means: string): FindingMeaning => ({ level: 'wrong', means });
const warning = (means: string): FindingMeaning => ({ level: 'warning', means });

/** In the order in which they should be mended. */
export const findingCodes = {
  'check-broken': wrong('A check itself could not be carried out, so nothing is known of what it looks at.'),
  'config-bad': wrong('The config does not load; each problem names its line.'),
  'secret-missing': wrong('A file with a secret that the config names cannot be read.'),
  'secret-open': warning('A file with a secret can be read by everybody on this machine.'),
  'node-old': wrong('Node.js is older than Causeway needs.'),
  'koffi-broken': wrong('The library for system calls does not load, so the prober cannot open its sockets.'),
  'program-missing': wrong('A program that Causeway runs is not installed.'),
  'program-broken': wrong('A program that Causeway runs is there and does not run.'),
  'bird-unreachable': wrong('BIRD’s control socket does not answer.'),
  'bird-restricted': wrong(
    'BIRD’s control socket is a restricted one: it shows everything and changes nothing.',
  ),
  'bird-too-old': wrong('BIRD is older than any supported version.'),
  'bird-untested': warning('BIRD is of a version on which the labs do not run.'),
  'bird-lacks': wrong('The config asks for something that this BIRD does not have.'),
  'file-missing': wrong('The owned file is not there, is empty, or cannot be read.'),
  'file-foreign': wrong('The owned file is not a whole file of Causeway.'),
  'file-locked': wrong('The daemon’s user cannot write the owned file or its folder.'),
  'protocols-missing': wrong(
    'Protocols of the config are not in BIRD: the owned file is not included, or not loaded.',
  ),
  'base-differs': warning('BIRD runs another base than the owned file holds.'),
  'base-waits': warning('The config makes another base than the owned file holds: an apply waits.'),
  'adopt-missing': warning('A session that `bird.adopt` names is not in BIRD.'),
  'session-down': warning('A BGP session is not Established.'),
  'interface-missing': wrong('The interface of an uplink is not there.'),
  'interface-down': wrong('The interface of an uplink is down or has no carrier.'),
  'source-missing': wrong('The source address of an uplink is not on its interface.'),
  'route-wrong': wrong('Probes of an uplink would not leave by it, or by another gateway.'),
  'rules-missing': warning('Probes find their way, but rules of the plan are missing.'),
  'rules-left': warning('Rules stand at Causeway’s priorities that the config does not ask for.'),
  'rp-filter': wrong('Strict reverse-path filtering drops the answers to probes.'),
  'ping-group': wrong('The daemon’s group may not open ICMP sockets.'),
  'probe-stays': wrong('Probes were sent, and the uplink’s interface did not count them.'),
  'probe-elsewhere': wrong('Probes were sent, and another uplink’s interface counted them.'),
  'probe-unanswered': warning('Probes left by the uplink, and nothing that was asked answered.'),
  'clock-free': warning('The clock is not synchronised.'),
  'clock-stepped': warning('The wall clock was set by more than a second since the boot.'),
  'clock-behind': wrong('The wall clock is behind the newest entry of the history.'),
  'state-missing': wrong('The state folder is not there.'),
  'state-locked': wrong('The daemon’s user cannot write the state folder.'),
  'disk-read-only': wrong('A file system that the daemon writes to is read-only.'),
  'disk-full': wrong('A file system that the daemon writes to has almost no room left.'),
  'disk-low': warning('A file system that the daemon writes to has little room left.'),
  'inodes-low': warning('A file system that the daemon writes to has few inodes left.'),
  'unit-failed': wrong('systemd gave the daemon up, or it keeps dying.'),
  'unit-off': warning('The daemon is not started at boot.'),
  'unit-watchdog': warning('The unit has no watchdog, so a daemon that hangs stays.'),
  'unit-files': warning('The unit may open too few files for its sockets.'),
  'unit-memory': warning('The unit’s memory limit is below what daemon and prober need.'),
  'boot-unit': warning('`on_boot: hold` is set and the unit that does it is not enabled.'),
  'daemon-down': warning('The daemon does not answer on its control socket.'),
  'daemon-alarm': warning('The daemon has alarms.'),
  'redis-unreachable': warning('The Redis of the fleet cannot be reached: no consent is given.'),
  'redis-refuses': warning('The Redis of the fleet answers and refuses: password, ACL, TLS, or read-only.'),
  'geodns-unreachable': warning('GeoDNS cannot be reached.'),
  'geodns-refuses': warning('GeoDNS answers and refuses the token.'),
  'return-path': warning(
    'Answers leave by one uplink whatever users come in by: a region that fails on it alone is not told to GeoDNS.',
  ),
  'ready-failing': warning('A readiness check fails: the service is not announced from this node.'),
  'ready-unknown': wrong('A readiness check cannot be carried out.'),
  'fping-differs': warning('fping measures something else than the prober.'),
} as const satisfies Readonly<Record<string, FindingMeaning>>;

export type FindingCode = keyof typeof findingCodes;
