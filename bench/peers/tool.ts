/** A tool that decides by itself what the lab's node announces, as far as the comparison needs to know it. */
import type { PeerStand } from './stand.ts';

export interface Tool {
  /** As it stands in the table. */
  readonly name: string;
  /** How it is set: documented defaults with their source, and what was added to make it act on an uplink. */
  readonly set: string;
  /** What it cannot do, whatever is set. */
  readonly cannot: string;
  /** Its version; null: it cannot be run here. */
  version(): Promise<string | null>;
  /** From all announced, with nobody in charge, to running. */
  start(stand: PeerStand): Promise<RunningTool>;
}

export interface RunningTool {
  /** kill -9 of what acts. */
  kill(): Promise<void>;
  /** Ends whatever is left of it; the node is as before `start` once the stand was made ready again. */
  stop(): Promise<void>;
}
