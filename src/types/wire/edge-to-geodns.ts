/**
 * edge -> GeoDNS, `POST /v1/statistics`: what one node's edge served since its last message. Sums alone, by access network
 * and by the ASNs that networks.yaml lists; no address of any client.
 */
import { z } from 'zod';
import { schemaVersion, wireName } from './common.ts';

const sum = z.number().min(0).max(Number.MAX_SAFE_INTEGER);

export const edgeRow = z.object({
  /** Access network, or `unknown`. */
  network: wireName,
  /** null: an ASN that networks.yaml does not list, or none. */
  asn: z.int().min(1).max(4_294_967_295).nullable(),
  requests: sum,
  bytes: sum,
  /** Time spent on the requests, s. */
  seconds: sum,
  cacheHits: sum,
  originErrors: sum,
  limited: sum,
});
export type EdgeRow = z.infer<typeof edgeRow>;

export const edgeSummary = z.object({
  schema: schemaVersion,
  node: wireName,
  /** Unix seconds of its end: what comes with the same one again is not counted again. */
  at: z.int().min(1).max(99_999_999_999),
  /** How long it covers, s. */
  seconds: z.number().min(0).max(86_400),
  rows: z.array(edgeRow).max(2000),
});
export type EdgeSummary = z.infer<typeof edgeSummary>;
