/** What `causeway doctor` looks at in BIRD: its socket, its version, the owned file and the protocols in it. */
import { readFile } from 'node:fs/promises';
import { openBird, wayToBird } from '../../bird/open.ts';
import { readBird } from '../../bird/read.ts';
import { unmetNeeds } from '../../bird/render/needs.ts';
import { defaultStates, egressSessionsOf, sessionsOf } from '../../bird/render/parts.ts';
import type { Check, Finding } from '../host/doctor.ts';
import type { BirdSeen, BirdUnreachable, BirdView } from '../types/bird-view.ts';
import type { NodeConfig } from '../types/config.ts';
import { egressKernelName, kernelName } from '../types/protocol-names.ts';
import { instant } from '../types/units.ts';

export interface BirdContext {
  readonly config: NodeConfig;
  /** Read once for all checks; never rejects. */
  readonly bird: BirdView;
}

const timeoutMillis = 5000;

/** Asks BIRD once, over its control socket. */
export async function readBirdOnce(config: NodeConfig): Promise<BirdView> {
  const path = wayToBird(config.bird);
  const client = openBird(config.bird, { timeoutMillis });
  try {
    return await readBird(client, path, () => instant(performance.now()));
  } finally {
    client.close();
  }
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
  {
    id: 'bird.version',
    title: 'version of BIRD',
    run: async ({ config, bird }) =>
      bird.kind === 'seen'
        ? versionFinding(config, bird.version)
        : { kind: 'skipped', text: 'BIRD does not answer' },
  },
  { id: 'bird.file', title: 'the owned file', run: ({ config }) => fileFinding(config) },
  {
    id: 'bird.protocols',
    title: "Causeway's protocols in BIRD",
    run: async ({ config, bird }) =>
      bird.kind === 'seen'
        ? protocolsFinding(config, bird)
        : { kind: 'skipped', text: 'BIRD does not answer' },
  },
];

function socketFinding(bird: BirdUnreachable): Finding {
  return {
    kind: 'wrong',
    what: `${bird.path}: ${bird.code}: ${bird.text}`,
    why: 'the daemon can neither see nor change what is announced; BIRD goes on as it is',
    mend: socketMend(bird),
  };
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

/** First and later versions of Debian 12, 13 and newer, on which the labs run. */
const tested = ['2.0.12', '2.17', '2.20', '3.1', '3.4'];

function versionFinding(config: NodeConfig, version: string): Finding {
  const unmet = unmetNeeds(config, version);
  if (unmet.length > 0)
    return {
      kind: 'wrong',
      what: unmet.join('; '),
      why: 'this BIRD refuses the file that the config makes, so nothing of it can be applied',
      mend: `apt-get install bird2  # a newer one, or take the key out of the config`,
    };
  if (tested.some((each) => version === each || version.startsWith(`${each}.`))) {
    return { kind: 'ok', text: `${version} is supported` };
  }
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  const old = !(major > 2 || (major === 2 && (minor > 0 || patch >= 12)));
  return {
    kind: old ? 'wrong' : 'warning',
    what: `BIRD ${version} is ${old ? 'older than any supported version' : 'not one of the tested versions'}`,
    why: 'replies and the behaviour of commands differ between versions',
    mend: `apt-get install bird2  # supported: ${tested.join(', ')}`,
  };
}

async function fileFinding({ bird }: NodeConfig): Promise<Finding> {
  const path = bird.config;
  try {
    const text = await readFile(path, 'utf8');
    if (text.trim() !== '') return { kind: 'ok', text: `${path} is there` };
    return fileMissing(`${path} is empty`);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return fileMissing(error.message);
  }
}

function fileMissing(what: string): Finding {
  return {
    kind: 'wrong',
    what,
    why: 'BIRD has nothing of Causeway to read at its next start or configure',
    mend: 'causeway render --write && birdc configure',
  };
}

function protocolsFinding(config: NodeConfig, bird: BirdSeen): Finding {
  const names = expectedProtocols(config);
  const missing = names.filter((name) => !bird.protocols.has(name));
  if (missing.length === 0) return { kind: 'ok', text: `all ${names.length} are there` };
  const shown = missing.slice(0, 4).join(', ');
  const more = missing.length > 4 ? ` and ${missing.length - 4} more` : '';
  const include = `include "${config.bird.config}"; in bird.conf`;
  return {
    kind: 'wrong',
    what: `${missing.length} of ${names.length} protocols are not in BIRD: ${shown}${more}`,
    why: 'what has no protocol cannot be announced or withdrawn',
    mend: `causeway render --write && birdc configure${config.bird.layout === 'include' ? `  # with ${include}` : ''}`,
  };
}

/** Every protocol with a changeable state in the rendered config, and the kernel tables of the uplinks. */
export function expectedProtocols(config: NodeConfig): readonly string[] {
  const kernels = sessionsOf(config).map(({ uplink, family }) => kernelName(uplink.name, family));
  const egress = egressSessionsOf(config).map(({ uplink, family }) => egressKernelName(uplink.name, family));
  return [...defaultStates(config).keys(), ...kernels, ...egress];
}
