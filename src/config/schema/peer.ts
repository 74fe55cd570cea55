/** `uplinks.*.peer`: the carrier's side of the BGP session, and how the session is run. */
import { z } from 'zod';
import { defaultSession } from '../../types/session-options.ts';
import {
  absolutePath,
  addresses,
  asNumber,
  choice,
  duration,
  seconds,
  wholeNumber,
  yesOrNo,
} from '../fields.ts';
import { section } from '../section.ts';

const most = 4_294_967_295;

const limitsSchema = section('uplinks.*.peer.limits', 'Most routes of the session.', {
  receive: wholeNumber('Before the import policy; none where it is not given.', {
    min: 1,
    max: most,
  }).optional(),
  import: wholeNumber(
    'After the import policy. Default: 10 with import: default; 2000000 IPv4 or 500000 IPv6 with full.',
    { min: 1, max: most },
  ).optional(),
  export: wholeNumber(
    'What is announced. Default: twice the prefixes, 16 or more. Fewer than the prefixes is an error.',
    { min: 1, max: most },
  ).optional(),
  action: choice(
    'Beyond a limit. block: takes no more and keeps the session; restart, disable: ends it; warn: says so.',
    ['block', 'restart', 'disable', 'warn'],
  ).prefault(defaultSession.limits.action),
}).prefault({});

export const aoKeySchema = section('uplinks.*.peer.ao_keys.*', 'A key of TCP-AO (RFC 5925).', {
  id: wholeNumber('Key id, the same in both directions.', { min: 0, max: 255 }),
  secret_file: absolutePath('File with the secret; the secret itself never stands here.', 'file'),
  algorithm: choice('Message authentication code.', [
    'cmac-aes128',
    'hmac-sha1',
    'hmac-sha256',
    'hmac-sha512',
  ]).prefault('cmac-aes128'),
});

export const peerSchema = section('uplinks.*.peer', "The carrier's side of the BGP session.", {
  asn: asNumber("The carrier's AS number."),
  address: addresses(
    "The carrier's address of the session, or one for each family. A link-local one is on the uplink's interface.",
  ),
  password_file: absolutePath(
    'File with the TCP MD5 password; the password itself never stands here.',
    'file',
  ).optional(),
  ao_keys: z
    .array(aoKeySchema, { error: 'a list of keys' })
    .meta({
      description: 'Keys of TCP-AO in place of a password, the first is sent with; BIRD 2.17 and newer.',
    })
    .prefault([]),
  multihop: wholeNumber('Hops to the peer; leave it out where it is directly connected.', {
    min: 2,
    max: 255,
  }).optional(),
  ttl_security: yesOrNo('Whether GTSM (RFC 5082) guards the session; both ends or neither.').prefault(
    defaultSession.ttlSecurity,
  ),
  hold: seconds('Without a message for so long the session ends.', { min: 3000, max: 3_600_000 }).prefault(
    '30s',
  ),
  keepalive: seconds('Time between keepalives; default: a third of hold.', {
    min: 1000,
    max: 1_200_000,
  }).optional(),
  role: choice("What this node is to the carrier (RFC 9234); it has to fit the carrier's own role.", [
    'none',
    'customer',
    'peer',
    'rs_client',
  ]).prefault(defaultSession.role),
  enforce_first_as: yesOrNo(
    "Whether each path begins with the carrier's AS number; false for a route server.",
  ).prefault(defaultSession.enforceFirstAs),
  graceful_restart: choice(
    'RFC 4724. aware: helps a carrier that restarts; on: the carrier keeps our routes while BIRD is away, also when the node is dead; off: neither.',
    ['aware', 'on', 'off'],
  ).prefault(defaultSession.gracefulRestart),
  limits: limitsSchema,
  bfd: yesOrNo('Whether BFD watches the session.').prefault(false),
  bfd_interval: duration('Pace of BFD; below 1s it may flap on virtual machines.', {
    min: 50,
    max: 60_000,
  }).prefault('1s'),
  bfd_multiplier: wholeNumber('Intervals without an answer after which BFD ends the session.', {
    min: 2,
    max: 50,
  }).prefault(defaultSession.bfdMultiplier),
});
