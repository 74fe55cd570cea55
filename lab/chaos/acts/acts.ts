/** From a fault as data to what the lab does for it. */
import { unreachable } from '../../../src/types/unreachable.ts';
import type { ChaosFault } from '../fault.ts';
import type { World } from '../world.ts';
import type { Act } from './act.ts';
import {
  bursty,
  connectionsFull,
  cutOff,
  interfaceGone,
  linkDown,
  lossy,
  regionDead,
  slow,
  targetsDie,
  uplinkDead,
  wholeCarrierDead,
} from './network.ts';
import { handOn, operatorSays } from './people.ts';
import {
  birdStruck,
  clockMoved,
  daemonStruck,
  diskFull,
  edgeKilled,
  proberStruck,
  serviceKilled,
} from './programs.ts';
import { geodnsStruck, redisStruck, siteStruck } from './shared.ts';

export function actOf(world: World, fault: ChaosFault): Act {
  switch (fault.kind) {
    case 'uplink-dead':
      return uplinkDead(world, fault.node, fault.carrier, fault);
    case 'carrier-dead':
      return wholeCarrierDead(world, fault.carrier);
    case 'loss':
      return lossy(world, fault.node, fault.carrier, fault.percent);
    case 'bursts':
      return bursty(world, fault.node, fault.carrier, fault);
    case 'delay':
      return slow(world, fault.node, fault.carrier, fault);
    case 'region-dead':
      return regionDead(world, fault.node, fault.carrier, fault.region);
    case 'targets-dead':
      return targetsDie(world, fault.count);
    case 'link-down':
      return linkDown(world, fault.node, fault.carrier, fault.end);
    case 'interface-deleted':
      return interfaceGone(world, fault.node, fault.carrier);
    case 'bird':
      return birdStruck(world, fault.node, fault.what);
    case 'daemon':
      return daemonStruck(world, fault.node, fault.what);
    case 'prober':
      return proberStruck(world, fault.node, fault.what);
    case 'service':
      return serviceKilled(world, fault.node);
    case 'edge':
      return edgeKilled(world, fault.node);
    case 'redis':
      return redisStruck(world, fault.what);
    case 'management':
      return cutOff(world, fault.node);
    case 'dns-site':
      return siteStruck(world, fault.site, fault.what);
    case 'geodns':
      return geodnsStruck(world, fault.what);
    case 'clock':
      return clockMoved(world, fault.node, fault.seconds);
    case 'disk-full':
      return diskFull(world, fault.node);
    case 'conntrack-full':
      return connectionsFull(world, fault.node);
    case 'operator':
      return operatorSays(world, fault.node, fault.carrier, fault.word);
    case 'hand':
      return handOn(world, fault.node, fault.carrier, fault.family);
    default:
      return unreachable(fault);
  }
}
