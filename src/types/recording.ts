/** How recordings leave the daemon. */

/** The first line of a recording's file: format and version. */
export const recordingFirstLine = 'causeway recording 1\n';

/** Takes the bytes of a recording as they come. */
export interface RecordingSink {
  /** How long bytes are gathered before they come; longer is smaller. */
  readonly gatherMillis: number;
  /**
   * `begins`: these are the first bytes of a recording. on: go on. anew: what follows begins another recording, with a head of its own. over: no more.
   * Never waits and never throws.
   */
  put(bytes: Uint8Array, begins: boolean): 'on' | 'anew' | 'over';
}

export interface RecordingSource {
  /** Begins with the next tick; the returned function ends it after what was gathered is put. */
  record(sink: RecordingSink): () => Promise<void>;
}
