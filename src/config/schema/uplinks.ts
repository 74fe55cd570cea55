/** `uplinks`: the carrier links of this node, with the BGP session of each. */
import { z } from 'zod';
import {
  absolutePath,
  addresses,
  asNumber,
  choice,
  text,
  wholeNumber,
  wireText,
  yesOrNo,
} from '../fields.ts';
import { named, section } from '../section.ts';
import { uplinkProbeSchema } from './probe.ts';
import { targetSchema } from './targets.ts';

export const peerSchema = section('uplinks.*.peer', "The carrier's side of the BGP session.", {
  asn: asNumber("The carrier's AS number."),
  address: addresses("The carrier's address of the session, or one for each family."),
  password_file: absolutePath(
    'File with the TCP MD5 password; the password itself never stands here.',
    'file',
  ).optional(),
  multihop: wholeNumber('Hops to the peer; leave it out where it is directly connected.', {
    min: 2,
    max: 255,
  }).optional(),
  bfd: yesOrNo('Whether BFD watches the session.').prefault(false),
});

const most = 4_294_967_295;

export const uplinkSchema = section('uplinks.*', 'One carrier link of this node.', {
  carrier: wireText('The company behind the uplink; the same on every node.'),
  interface: text(
    'Network interface of the uplink.',
    /^(?!\.{1,2}$)[A-Za-z0-9_.-]{1,15}$/,
    'the name of an interface: up to 15 letters, digits, dots, hyphens or underscores',
  ),
  source: addresses('Source address of the session and the probes, or one for each family.'),
  peer: peerSchema,
  gateway: addresses('Next hop of the probes, or one for each family; default: the peer.').optional(),
  table: wholeNumber('Kernel routing table of this uplink; default 1001, 1002… in the order of the file.', {
    min: 1,
    max: most,
  }).optional(),
  local_pref: wholeNumber('Egress: preference of routes learnt here; the highest wins.', {
    min: 0,
    max: most,
  }).prefault(100),
  med: wholeNumber('Ingress: MED sent to the carrier; the lowest wins.', { min: 0, max: most }).prefault(100),
  prepend: wholeNumber('Ingress: how often our AS number is put in front.', { min: 0, max: 8 }).prefault(0),
  import: choice('What is learnt from the carrier.', ['default', 'full', 'none']).prefault('default'),
  targets: z
    .array(targetSchema, { error: 'a list of targets' })
    .meta({ description: 'What is probed through the uplink; three or more in each announced family.' }),
  probe: uplinkProbeSchema,
});

export const uplinksSchema = named('uplink', 'The carrier links of this node, by name.', uplinkSchema);
