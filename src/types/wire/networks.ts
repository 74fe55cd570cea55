/**
 * `networks.yaml`: the access networks that users sit on, as data. GeoDNS and the edge read the same file and are tested
 * to classify the same addresses alike. Order of classification: prefix overrides (longest first), then excluded ASNs
 * (unknown), then ASN lists; organisation patterns only propose ASNs to a person, they never classify by themselves.
 */
import { z } from 'zod';

/** Short name of an access network: ct, cu, cm, edu, tmnet… */
export const networkName = z.string().regex(/^[a-z][a-z0-9]{0,14}$/);
const asNumber = z.int().min(1).max(4294967295);

const accessNetwork = z.strictObject({
  /** For people. */
  title: z.string().min(1).max(100),
  /** access: users; hosting: clouds and IDCs, which are never steered by carrier. */
  kind: z.enum(['access', 'hosting']).default('access'),
  /** Carriers (of nodes) in order of preference for this network's users. */
  carriers: z.array(z.string().regex(/^[a-z][a-z0-9]{0,14}$/)).default([]),
  asns: z.array(asNumber).default([]),
  /** Case-insensitive regular expressions on an MMDB's organisation names; input of the review tool. */
  organisations: z.array(z.string().min(1).max(200)).default([]),
  /** ASNs that a pattern would catch and that do not belong here. */
  exclude: z.array(asNumber).default([]),
  /** Prefixes that belong here whatever their ASN says. */
  prefixes: z.array(z.string()).default([]),
});

export const networksFile = z.strictObject({
  /** Shown by GeoDNS, the edge and the snapshot; a date such as 2026-11-01. */
  version: z.string().regex(/^[0-9A-Za-z.-]{1,32}$/),
  networks: z.record(networkName, accessNetwork),
});
export type NetworksFile = z.infer<typeof networksFile>;
