/** `uplinks`: the carrier links of this node, with the BGP session of each. */
import { z } from 'zod';
import { communities } from '../communities.ts';
import { addresses, bitRate, choice, interfaceName, wholeNumber, wireText } from '../fields.ts';
import { named, section } from '../section.ts';
import { lookingGlassSchema } from './looking-glass.ts';
import { peerSchema } from './peer.ts';
import { uplinkProbeSchema } from './probe.ts';
import { targetSchema } from './targets.ts';

const most = 4_294_967_295;

export const uplinkSchema = section('uplinks.*', 'One carrier link of this node.', {
  carrier: wireText('The company behind the uplink; the same on every node.'),
  interface: interfaceName('Network interface of the uplink.'),
  source: addresses('Source address of the session and the probes, or one for each family.'),
  peer: peerSchema,
  gateway: addresses('Next hop of the probes, or one for each family; default: the peer.').optional(),
  table: wholeNumber('Kernel routing table of this uplink; default 1001, 1002… in the order of the file.', {
    min: 1,
    max: most,
  }).optional(),
  egress_table: wholeNumber(
    'Kernel routing table of what is learnt here, for services with egress: by-source; default: table + 1000.',
    { min: 1, max: most },
  ).optional(),
  local_pref: wholeNumber('Egress: preference of routes learnt here; the highest wins.', {
    min: 0,
    max: most,
  }).prefault(100),
  med: wholeNumber('Ingress: MED sent to the carrier; the lowest wins.', { min: 0, max: most }).prefault(100),
  prepend: wholeNumber('Ingress: how often our AS number is put in front.', { min: 0, max: 8 }).prefault(0),
  communities: communities('Ingress: communities that are added, such as "64500:100".').prefault([]),
  drain_communities: communities(
    'In place of communities while drained, such as the one that lowers the preference.',
  ).prefault([]),
  capacity: bitRate('What the uplink carries; nothing is shifted onto uplinks that would pass theirs.', {
    min: 1e5,
    max: 1e13,
  }).optional(),
  looking_glass: lookingGlassSchema,
  import: choice('What is learnt from the carrier.', ['default', 'full', 'none']).prefault('default'),
  targets: z
    .array(targetSchema, { error: 'a list of targets' })
    .meta({ description: 'What is probed through the uplink; three or more in each announced family.' }),
  probe: uplinkProbeSchema,
});

export const uplinksSchema = named('uplink', 'The carrier links of this node, by name.', uplinkSchema);
