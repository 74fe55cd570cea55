/** What a refresh is made of and what it says of itself; part of the contract of `GET /v1/geoip`. */
import type { Address } from '../address.ts';
import type { Site } from '../powerdns/site.ts';
import type { GeoDnsService } from '../service/service.ts';
import type { RefreshConfig } from './config.ts';
import type { Paths, runJudge } from './judge-run.ts';

/** What became of an attempt. held: it needs a person's yes; rolled-back: all sites have the set of before. */
export interface Outcome {
  readonly kind: 'refreshed' | 'unchanged' | 'refused' | 'held' | 'failed' | 'rolled-back';
  readonly at: string;
  readonly author: string;
  /** Sentences, each with what to do where there is something to do. */
  readonly lines: readonly string[];
  /** Share of sampled users that the new databases treat otherwise, 0…1; null: not known. */
  readonly changed: number | null;
}

export interface RefreshState {
  readonly kind: 'idle' | 'fetching' | 'judging' | 'rolling' | 'going-back';
  /** The site at work. */
  readonly site: string | null;
  /** Sets: in force, the one before, and one that was taken back. */
  readonly current: string | null;
  readonly previous: string | null;
  readonly refused: string | null;
  readonly last: Outcome | null;
  readonly nextAt: string | null;
  readonly databases: readonly { readonly path: string; readonly builtAt: string }[];
}

export interface RefresherParts {
  readonly config: RefreshConfig;
  /** Files that this service reads itself, and those of rules and networks. */
  readonly own: Paths;
  readonly rules: string;
  readonly networks: string;
  /** The primary first. */
  readonly sites: readonly Site[];
  readonly service: GeoDnsService;
  /** Asks the sites about these users from now on. */
  readonly ask: (users: readonly Address[]) => void;
  readonly log: {
    readonly info: (data: Readonly<Record<string, unknown>>, message: string) => void;
    readonly error: (data: Readonly<Record<string, unknown>>, message: string) => void;
  };
  readonly judge?: typeof runJudge;
}

/** Another attempt is under way. */
export class BusyError extends Error {
  override readonly name = 'BusyError';
}
