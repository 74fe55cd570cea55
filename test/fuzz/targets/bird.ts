/** Replies of BIRD: the reader and every parser, on mutated replies of five versions. */
import { faultOf } from '../../support/bird-fuzz.ts';
import { readTranscript, transcriptNames, versions } from '../../contract/transcript.ts';
import type { FuzzTarget } from '../target.ts';

export const birdTarget: FuzzTarget = {
  name: 'bird',
  summary: 'replies of BIRD on the control socket',
  seeds: () =>
    versions.flatMap((version) =>
      transcriptNames(version)
        .filter((name) => !name.startsWith('operator'))
        .flatMap((name) => readTranscript(version, name))
        .map(({ bytes }) => bytes)
        .filter(({ length }) => length > 0 && length < 6000),
    ),
  check: (bytes) => faultOf({ kind: 'mutated', bytes }),
};
