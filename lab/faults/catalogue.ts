/** Faults by the words that are typed after `npm run lab -- break`. */
import type { Family } from '../../src/types/units.ts';
import { isRegion, targets, type Region } from '../network/addresses.ts';
import { carrierNames, isCarrierName, type CarrierName } from '../network/names.ts';
import { askNodeBird, startNodeBird, stopNodeBird } from '../node/bird.ts';
import { stopDaemon } from '../node/program.ts';
import { delay } from './delay.ts';
import type { Direction, Fault, Where } from './fault.ts';
import { interfaceDeleted, linkDownAtCarrier, linkDownAtNode } from './link.ts';
import { blackHole, burstLoss, loss, pathDead, targetDead, targetRateLimited } from './packet-filter.ts';

export interface Asked {
  /** A carrier, `target` or `node`. */
  readonly subject: string;
  readonly what: string;
  readonly numbers: readonly string[];
  readonly region?: string;
  readonly direction?: string;
  readonly family?: string;
}

export const catalogueText = `  cmi|pccw|hkbn blackhole            nothing passes behind the carrier's router; its gateway answers
  cmi|pccw|hkbn loss PERCENT         random loss
  cmi|pccw|hkbn bursts LENGTH EVERY  LENGTH packets in a row of each EVERY are lost
  cmi|pccw|hkbn delay MS [JITTER]    added in each direction
  cmi|pccw|hkbn path [0|1]           one of the two equal paths is dead
  cmi|pccw|hkbn link                 the link goes down at the carrier's end
  cmi|pccw|hkbn link-node            the link goes down at the node
  cmi|pccw|hkbn interface            the node's interface is deleted
  target dead                        the first target answers nobody
  target limit [PER_SECOND]          the first target limits ICMP
  node bird-stop | bird-kill | bird-restart | configure | daemon-kill
With --region ${[...new Set(targets.map(({ region }) => region))].join('|')}, --direction out|back, --family 4|6 where a carrier's traffic is meant.`;

/** The fault that was asked for; throws a RangeError that says what there is. */
export function faultAsked(asked: Asked): Fault {
  if (asked.subject === 'node') return nodeFault(asked.what);
  if (asked.subject === 'target') return targetFault(asked);
  if (!isCarrierName(asked.subject)) {
    throw new RangeError(`\`${asked.subject}\`: write ${carrierNames.join(', ')}, target or node`);
  }
  return carrierFault(asked, asked.subject);
}

function carrierFault(asked: Asked, carrier: CarrierName): Fault {
  const where = whereOf(asked, carrier);
  switch (asked.what) {
    case 'blackhole':
      return blackHole(where);
    case 'loss':
      return loss(where, numberAt(asked, 0, 'a loss in percent', 0, 100));
    case 'bursts':
      return burstLoss(where, numberAt(asked, 0, 'a length', 1, 1e6), numberAt(asked, 1, 'a period', 2, 1e6));
    case 'delay':
      return delay(
        where,
        numberAt(asked, 0, 'a delay in ms', 0, 10_000),
        numberAt(asked, 1, 'a jitter in ms', 0, 10_000, 0),
      );
    case 'path':
      return pathDead(where, numberAt(asked, 0, 'a path', 0, 1, 0) === 0 ? 0 : 1);
    case 'link':
      return linkDownAtCarrier(carrier);
    case 'link-node':
      return linkDownAtNode(carrier);
    case 'interface':
      return interfaceDeleted(carrier);
    default:
      throw new RangeError(`\`${asked.what}\` is no fault of a carrier`);
  }
}

function targetFault(asked: Asked): Fault {
  const address = targets[0]?.address ?? {};
  switch (asked.what) {
    case 'dead':
      return targetDead(address);
    case 'limit':
      return targetRateLimited(address, numberAt(asked, 0, 'pings a second', 1, 1000, 3));
    default:
      throw new RangeError(`\`${asked.what}\` is no fault of a target: write dead or limit`);
  }
}

/** What happens on the node; `mend` starts again what does not run. */
function nodeFault(what: string): Fault {
  const once = (title: string, apply: Fault['apply']): Fault => ({
    title,
    apply,
    mend: async () => undefined,
  });
  switch (what) {
    case 'bird-stop':
      return once('BIRD stopped', (network) => stopNodeBird(network, 'SIGTERM'));
    case 'bird-kill':
      return once('BIRD killed', (network) => stopNodeBird(network, 'SIGKILL'));
    case 'bird-restart':
      return once('BIRD killed and started', async (network) => {
        await stopNodeBird(network, 'SIGKILL');
        await startNodeBird(network);
      });
    case 'configure':
      return once('birdc configure', async (network) => {
        await askNodeBird(network, 'configure');
      });
    case 'daemon-kill':
      return once('daemon killed', (network) => stopDaemon(network, 'SIGKILL'));
    default:
      throw new RangeError(`\`${what}\` is no fault of the node`);
  }
}

function whereOf(asked: Asked, carrier: CarrierName): Where {
  return {
    carrier,
    ...(asked.region === undefined ? {} : { region: regionOf(asked.region) }),
    ...(asked.direction === undefined ? {} : { direction: directionOf(asked.direction) }),
    ...(asked.family === undefined ? {} : { families: [familyOf(asked.family)] }),
  };
}

function regionOf(text: string): Region {
  if (!isRegion(text)) throw new RangeError(`\`${text}\` is no region of the lab`);
  return text;
}

function directionOf(text: string): Direction {
  if (text === 'out' || text === 'back' || text === 'both') return text;
  throw new RangeError(`\`${text}\` is no direction: write out, back or both`);
}

function familyOf(text: string): Family {
  if (text === '4') return 4;
  if (text === '6') return 6;
  throw new RangeError(`\`${text}\` is no family: write 4 or 6`);
}

function numberAt(
  asked: Asked,
  index: number,
  what: string,
  min: number,
  max: number,
  absent?: number,
): number {
  const text = asked.numbers[index];
  if (text === undefined && absent !== undefined) return absent;
  const value = Number(text);
  if (text === undefined || !Number.isFinite(value) || value < min || value > max) {
    throw new RangeError(`${asked.what} needs ${what} from ${min} to ${max}, found \`${text ?? 'nothing'}\``);
  }
  return value;
}
