/** What `causeway migrate` is told to do, and what it does to the world. */
import type { BirdSeen } from '../../src/types/bird-view.ts';
import type { Family } from '../../src/types/units.ts';
import type { Adopted } from '../adopt.ts';
import type { ExportedSeen } from '../read-routes.ts';
import type { DrainMarks } from './operator-text.ts';

/** What is to be taken over. */
export interface MigratePlan {
  readonly uplink: string;
  readonly adopted: readonly Adopted[];
  /** What each family of the uplink announces, by service. */
  readonly services: readonly {
    readonly name: string;
    readonly family: Family;
    readonly prefixes: readonly string[];
  }[];
  /** The file that BIRD is started with, and ours. */
  readonly confPath: string;
  readonly ownedPath: string;
  readonly marks: DrainMarks;
  /** How long traffic gets to go elsewhere once drained. */
  readonly drainMillis: number;
  /** False: the session is closed as it is. */
  readonly drainFirst: boolean;
}

/** Both files; null: there is no owned file yet. */
export interface Texts {
  readonly conf: string;
  readonly owned: string | null;
}

/** Each may fail by throwing an Error whose message is for people. */
export interface MigrateWorld {
  look(): Promise<BirdSeen>;
  texts(): Promise<Texts>;
  /** The owned file with this uplink as well, announced or drained. */
  render(state: 'announce' | 'drain'): Promise<string>;
  /** `bird -p` of both; null: accepted. */
  check(texts: Texts): Promise<string | null>;
  /** Keeps both texts for `restore`, also for a start after our death. */
  keep(texts: Texts): Promise<void>;
  put(texts: Texts): Promise<void>;
  restore(): Promise<void>;
  forget(): Promise<void>;
  /** Settled; with a number BIRD undoes it after so many seconds unless it is confirmed. */
  configure(undoSeconds: number | null): Promise<void>;
  confirm(): Promise<boolean>;
  exported(session: string, prefix: string, isUp: boolean): Promise<ExportedSeen>;
  disable(protocol: string): Promise<void>;
  /** Whether there is time for another look at what is waited for. */
  waitForNextLook(): Promise<boolean>;
  pause(millis: number): Promise<void>;
}
