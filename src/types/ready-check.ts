/** What a service's readiness on this node is judged by. Addresses only, never names: readiness must not hang on a resolver. */
import type { Family, Millis } from './units.ts';

/** One check of a service: what is asked, how often, and how many answers in a row count. */
export interface ReadyCheck {
  readonly probe: ReadyProbe;
  readonly intervalMillis: Millis;
  /** A check without an answer after this has failed. */
  readonly timeoutMillis: Millis;
  /** Passes in a row that make it ready. */
  readonly rise: number;
  /** Failures in a row that make it not ready. */
  readonly fall: number;
}

export type ReadyProbe =
  | HttpProbe
  | { readonly kind: 'tcp'; readonly to: ReadyEndpoint }
  | DnsProbe
  /** The unit is active (or reloading). */
  | { readonly kind: 'systemd'; readonly unit: string }
  /** The path is there. */
  | { readonly kind: 'file'; readonly path: string }
  /** The path is not there: a flag file that takes the service out. */
  | { readonly kind: 'file_absent'; readonly path: string }
  | HaproxyProbe
  /** The address is on an interface of this machine, loopback included. */
  | { readonly kind: 'address'; readonly address: string; readonly family: Family };

export type ReadyKind = ReadyProbe['kind'];

export interface ReadyEndpoint {
  readonly host: string;
  readonly port: number;
}

export interface HttpProbe {
  readonly kind: 'http';
  /** As it stands in the file. */
  readonly url: string;
  readonly to: HttpPlace;
  /** Path and query. */
  readonly path: string;
  /** Host header, and name that a certificate must have; null: the address. */
  readonly host: string | null;
  /** The one status that passes; null: 200 to 399. */
  readonly expect: number | null;
  /** Text that the body must hold; null: it is not read. */
  readonly body: string | null;
}

export type HttpPlace =
  | { readonly kind: 'http' | 'https'; readonly host: string; readonly port: number }
  | { readonly kind: 'socket'; readonly socket: string };

export interface DnsProbe {
  readonly kind: 'dns';
  readonly server: ReadyEndpoint;
  readonly name: string;
  readonly type: DnsType;
  /** The value that must be among the answers; null: any answer passes. */
  readonly expect: string | null;
}

export const dnsTypes = ['A', 'AAAA', 'CNAME', 'NS', 'SOA', 'TXT'] as const;
export type DnsType = (typeof dnsTypes)[number];

export interface HaproxyProbe {
  readonly kind: 'haproxy';
  /** The stats socket. */
  readonly socket: string;
  readonly backend: string;
  /** Only this server is asked for; null: the backend as a whole. */
  readonly server: string | null;
  /** Servers of the backend that must be up. */
  readonly atLeast: number;
}
