/** What the API of GeoDNS answers to its page, and to whoever else reads it: docs/geodns.md. Types alone. */
import type { Family, PerFamily } from '../units.ts';
import type { ToldState } from './enums.ts';

/** `GET /v1/state`. */
export interface GeoDnsState {
  readonly revision: number;
  /** Version of networks.yaml. */
  readonly networks: string;
  readonly targets: readonly GeoDnsTarget[];
  readonly overrides: readonly GeoDnsOverride[];
  readonly alarms: {
    /** `hk1/cmi 4/ID`. */
    readonly held: readonly string[];
    readonly silentNodes: readonly string[];
    readonly oldDatabases: readonly string[];
    readonly unknownRegions: readonly string[];
    /** Sentences: who lost half of its usual share; a refresh of databases that needs a person. */
    readonly halvedShares: readonly string[];
    readonly databases: readonly string[];
    readonly degraded: readonly {
      readonly policy: string;
      readonly rule: number;
      readonly family: Family;
      readonly country: string | null;
      readonly level: string;
    }[];
  };
}

export interface GeoDnsTarget {
  /** `hk1/cmi`. */
  readonly target: string;
  readonly carrier: string;
  /** The last report; null: none. */
  readonly told: {
    readonly families: PerFamily<{
      readonly state: ToldState;
      readonly regions: Readonly<Record<string, ToldState>>;
      readonly services: Readonly<Record<string, ToldState>>;
    }>;
    readonly order: { readonly epoch: number; readonly seq: number };
    readonly reason: string;
    readonly expiresAtMillis: number | null;
  } | null;
  /** What counts, for users of no particular country. */
  readonly now: PerFamily<{ readonly state: ToldState; readonly by: string; readonly text: string }>;
}

export interface GeoDnsOverride {
  readonly glob: string;
  readonly family: Family | null;
  readonly state: ToldState;
  readonly untilMillis: number;
  readonly author: string;
  readonly reason: string;
}

/** `GET /v1/sites`. */
export interface GeoDnsSites {
  readonly wanted: number;
  readonly kind: 'idle' | 'pushing' | 'failing' | 'fenced';
  readonly error: string | null;
  readonly sites: readonly {
    readonly name: string;
    readonly serial: number | null;
    readonly error: string | null;
    /** Of serials. */
    readonly behind: number;
    /** null: since before the start. */
    readonly behindSeconds: number | null;
  }[];
  readonly verification: {
    readonly revision: number;
    readonly asked: number;
    readonly wrong: readonly string[];
  } | null;
}

/** `GET /v1/map`. */
export interface GeoDnsMap {
  readonly zone: string;
  readonly ttlSeconds: number;
  readonly regions: Readonly<Record<string, readonly string[]>>;
  readonly networks: readonly { readonly name: string; readonly title: string }[];
  readonly names: readonly { readonly name: string; readonly policy: string }[];
  readonly pools: readonly {
    readonly name: string;
    readonly targets: readonly string[];
    readonly minHealthy: number;
    readonly pick: 'all' | 'weighted';
  }[];
  readonly policies: readonly {
    readonly name: string;
    readonly service: string | null;
    readonly rules: readonly {
      readonly number: number;
      /** Each kind of condition as text; kinds are joined. */
      readonly asks: readonly string[];
      readonly use: readonly string[];
      readonly note: string | null;
    }[];
    readonly default: readonly string[];
  }[];
}

/** `GET /v1/answers`. */
export interface GeoDnsAnswers {
  readonly policy: string;
  readonly family: Family;
  readonly serial: number;
  readonly by: 'databases' | 'statistics' | 'nothing';
  readonly cells: readonly {
    readonly network: string | null;
    readonly place: string | null;
    readonly answers: readonly {
      readonly pool: string | null;
      readonly level: string;
      readonly rule: number | null;
      readonly addresses: readonly string[];
      readonly share: number;
    }[];
  }[];
}

/** `GET /v1/decide`, as far as the page shows it. */
export interface GeoDnsDecision {
  readonly ip: string;
  readonly network: string | null;
  readonly serial: number;
  readonly ttlSeconds: number;
  readonly pool: string | null;
  readonly level: string;
  readonly answer:
    | { readonly kind: 'all'; readonly addresses: readonly string[] }
    | {
        readonly kind: 'weighted';
        readonly choices: readonly { readonly address: string; readonly weight: number }[];
      };
  readonly why: readonly string[];
}

export interface GeoDnsRevision {
  readonly number: number;
  readonly serial: number | null;
  readonly author: string;
  readonly reason: string;
  readonly at: string;
  readonly of: number | null;
}

/** `GET /v1/revisions`. */
export interface GeoDnsRevisions {
  readonly current: number | null;
  readonly revisions: readonly GeoDnsRevision[];
}

/** `POST /v1/rules/validate`, and `preview` of `GET /v1/revisions/:number?preview=1`. */
export type GeoDnsPreview =
  | {
      readonly ok: false;
      /** As editors understand them: `rules.yaml:12:5: …`. */
      readonly problems: readonly string[];
      readonly places: readonly {
        readonly file: string;
        readonly line: number;
        readonly column: number;
        readonly path: string;
        readonly text: string;
      }[];
    }
  | {
      readonly ok: true;
      /** Empty. */
      readonly problems: readonly string[];
      readonly moved: {
        readonly by: 'databases' | 'statistics' | 'nothing';
        readonly share: number;
        readonly policies: readonly {
          readonly policy: string;
          readonly family: Family;
          readonly share: number;
          readonly largest: readonly {
            readonly asn: number | null;
            readonly network: string | null;
            readonly country: string | null;
            readonly from: string | null;
            readonly to: string | null;
            readonly share: number;
          }[];
        }[];
        readonly names: { readonly added: readonly string[]; readonly removed: readonly string[] };
      };
      readonly degraded: number;
      readonly rrsets: number;
    };

/** `GET /v1/steering`, as far as the page shows it. */
export interface GeoDnsSteering {
  readonly mode: string;
  readonly isFrozen: boolean;
  readonly freeze: { readonly author: string; readonly reason: string; readonly atMillis: number } | null;
  readonly frozenNodes: readonly string[];
  readonly proposals: readonly {
    readonly policy: string;
    /** 0: the default. */
    readonly rule: number;
    readonly from: readonly string[];
    readonly to: readonly string[];
    readonly share: number;
    readonly reason: string;
    /** null: it may happen now. */
    readonly held: string | null;
  }[];
  readonly acting: readonly {
    readonly policy: string;
    readonly rule: number;
    readonly base: readonly string[];
    readonly order: readonly string[];
    readonly author: string;
    readonly reason: string;
    readonly isActing: boolean;
    readonly until: string | null;
  }[];
}

/** `GET /v1/events`. */
export interface GeoDnsEvent {
  readonly id: number;
  readonly at: string;
  readonly kind: string;
  readonly text: string;
}
