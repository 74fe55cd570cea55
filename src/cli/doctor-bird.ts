/** What `causeway doctor` looks at in BIRD: its socket and rights, its version, sessions, and the protocols of the owned file. */
import { adoptedIn, belongsToAdopted } from '../../bird/adopt.ts';
import { wayToBird } from '../../bird/open.ts';
import { unmetNeeds } from '../../bird/render/needs.ts';
import { defaultStates, egressSessionsOf, sessionsOf } from '../../bird/render/parts.ts';
import { type Check, type Finding, finding } from '../host/doctor.ts';
import type { BirdSeen, BirdUnreachable, BirdView } from '../types/bird-view.ts';
import type { NodeConfig } from '../types/config.ts';
import { egressKernelName, kernelName, sessionName } from '../types/protocol-names.ts';
import { families } from '../types/units.ts';
import { fileChecks } from './doctor-file.ts';

export interface BirdContext {
  readonly config: NodeConfig;
  /** Read once for all checks; never rejects. */
  readonly bird: BirdView;
  /** Whether the socket changes nothing (`cli { restrict; }`); null: not known. */
  readonly restricted: boolean | null;
  /** The mark of the base that BIRD runs; null: it has none, or does not answer. */
  readonly mark: number | null;
}

const silent: Finding = { kind: 'skipped', text: 'BIRD does not answer' };

/** A check of what BIRD shows; skipped where it does not answer. */
function seenCheck(
  id: string,
  title: string,
  judge: (context: BirdContext, seen: BirdSeen) => Finding,
): Check<BirdContext> {
  return {
    id,
    title,
    run: async (context) => (context.bird.kind === 'seen' ? judge(context, context.bird) : silent),
  };
}

/** In the order in which they should be mended. */
export const birdChecks: readonly Check<BirdContext>[] = [
  {
    id: 'bird.socket',
    title: "BIRD's control socket",
    run: async ({ config, bird }) =>
      bird.kind === 'seen'
        ? { kind: 'ok', text: `BIRD ${bird.version} answers on ${wayToBird(config.bird)}` }
        : socketFinding(bird),
  },
  seenCheck('bird.rights', 'rights on the control socket', rightsFinding),
  seenCheck('bird.version', 'version of BIRD', ({ config }, { version }) => versionFinding(config, version)),
  ...fileChecks,
  seenCheck('bird.protocols', "Causeway's protocols in BIRD", ({ config }, seen) =>
    protocolsFinding(config, seen),
  ),
  seenCheck('bird.adopt', 'sessions with other names', ({ config }, seen) => adoptFinding(config, seen)),
  seenCheck('bird.sessions', 'BGP sessions', ({ config }, seen) => sessionsFinding(config, seen)),
];

function socketFinding(bird: BirdUnreachable): Finding {
  return finding('bird-unreachable', {
    what: `${bird.path}: ${bird.code}: ${bird.text}`,
    why: 'the daemon can neither see nor change what is announced; BIRD goes on as it is',
    mend: socketMend(bird),
  });
}

function socketMend({ code, path }: BirdUnreachable): string {
  switch (code) {
    case 'ENOENT':
      return `systemctl start bird  # or set bird.socket to where BIRD makes it (its option -s)`;
    case 'ECONNREFUSED':
      return 'systemctl restart bird  # the socket is there, but no BIRD listens on it';
    case 'EACCES':
      return `usermod -aG "$(stat -c %G ${path})" causeway && systemctl restart causeway`;
    case 'ETIMEDOUT':
      return 'birdc show status  # if this hangs as well: systemctl restart bird (sessions drop)';
    default:
      return 'birdc show status  # and see what BIRD logs';
  }
}

function rightsFinding({ config, restricted }: BirdContext): Finding {
  if (restricted === false) return { kind: 'ok', text: 'it takes commands' };
  if (config.mode === 'observe') return { kind: 'skipped', text: 'mode observe sends no commands' };
  if (restricted === null) return { kind: 'skipped', text: 'BIRD does not say' };
  return finding('bird-restricted', {
    what: `${wayToBird(config.bird)} is a restricted socket: BIRD answers 8007 Access denied to every command`,
    why: 'nothing can be withdrawn, drained or announced over it; status shows what is so, and that is all',
    mend: 'birdc -s /run/bird/bird.ctl show status  # then set bird.socket to that one; `cli { restrict; }` is for monitoring',
  });
}

/** First and later versions of Debian 12, 13 and newer, on which the labs run. */
const tested = ['2.0.12', '2.17', '2.20', '3.1', '3.4'];

function versionFinding(config: NodeConfig, version: string): Finding {
  const unmet = unmetNeeds(config, version);
  if (unmet.length > 0)
    return finding('bird-lacks', {
      what: unmet.join('; '),
      why: 'this BIRD refuses the file that the config makes, so nothing of it can be applied',
      mend: `apt-get install bird2  # a newer one, or take the key out of the config`,
    });
  if (tested.some((each) => version === each || version.startsWith(`${each}.`))) {
    return { kind: 'ok', text: `${version} is supported` };
  }
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  const old = !(major > 2 || (major === 2 && (minor > 0 || patch >= 12)));
  return finding(old ? 'bird-too-old' : 'bird-untested', {
    what: `BIRD ${version} is ${old ? 'older than any supported version' : 'not one of the tested versions'}`,
    why: 'replies and the behaviour of commands differ between versions',
    mend: `apt-get install bird2  # supported: ${tested.join(', ')}`,
  });
}

function protocolsFinding(config: NodeConfig, bird: BirdSeen): Finding {
  const adopted = adoptedIn(bird, config.bird.adopt, config.uplinks);
  const names = expectedProtocols(config);
  const missing = names.filter((name) => !bird.protocols.has(name) && !belongsToAdopted(name, adopted));
  if (missing.length === 0) return { kind: 'ok', text: `all ${names.length - missing.length} are there` };
  const shown = missing.slice(0, 4).join(', ');
  const more = missing.length > 4 ? ` and ${missing.length - 4} more` : '';
  const what = `${missing.length} of ${names.length} protocols are not in BIRD: ${shown}${more}`;
  if (config.mode === 'observe') return { kind: 'skipped', text: `mode observe does not need them: ${what}` };
  const include = `include "${config.bird.config}"; in bird.conf`;
  return finding('protocols-missing', {
    what,
    why: 'what has no protocol cannot be announced or withdrawn',
    mend: `causeway render --write && birdc configure${config.bird.layout === 'include' ? `  # with ${include}` : ''}`,
  });
}

/** Every protocol with a changeable state in the rendered config, and the kernel tables of the uplinks. */
export function expectedProtocols(config: NodeConfig): readonly string[] {
  const kernels = sessionsOf(config).map(({ uplink, family }) => kernelName(uplink.name, family));
  const egress = egressSessionsOf(config).map(({ uplink, family }) => egressKernelName(uplink.name, family));
  return [...defaultStates(config).keys(), ...kernels, ...egress];
}

function adoptFinding({ bird: { adopt } }: NodeConfig, seen: BirdSeen): Finding {
  if (adopt.size === 0) return { kind: 'ok', text: 'none are named' };
  const missing = [...adopt].filter(([, name]) => seen.protocols.get(name)?.proto !== 'BGP');
  if (missing.length === 0) return { kind: 'ok', text: `all ${adopt.size} are there` };
  return finding('adopt-missing', {
    what: `BIRD has no BGP session ${missing.map(([key, name]) => `${name} (bird.adopt.${key})`).join(', ')}`,
    why: 'what it exports cannot be seen, and `causeway migrate` would not know what to replace',
    mend: 'birdc show protocols  # put the names that it shows into bird.adopt, or take the keys out',
  });
}

function sessionsFinding({ uplinks }: NodeConfig, seen: BirdSeen): Finding {
  const shown = uplinks.flatMap(({ name }) =>
    families.flatMap((family) => {
      const session = seen.protocols.get(sessionName(name, family));
      return session === undefined ? [] : [session];
    }),
  );
  const down = shown.filter(({ info }) => info !== 'Established');
  if (down.length === 0) return { kind: 'ok', text: `${shown.length} are Established` };
  const [first] = down;
  return finding('session-down', {
    what: down.map(({ name, info, state }) => `${name} is ${info === '' ? state : info}`).join(', '),
    why: 'nothing is announced on it, whatever is wished; the daemon knows, and counts on the others',
    mend: `birdc show protocols all ${first?.name ?? ''}  # its last error; then the link, the neighbour, the password`,
  });
}
