/** Both ways to every BIRD that is there: its socket, and its own birdc. */
import { type BirdClient, openClient } from '../../bird/client.ts';
import { openBirdc } from '../../bird/birdc.ts';
import { type BirdVersion, birdVersions } from '../../lab/bird-versions.ts';

export interface Way {
  readonly version: string;
  readonly way: 'socket' | 'birdc';
  readonly bird: string;
  open(socket: string, onAsync?: (line: string) => void): BirdClient;
}

const timeoutMillis = 20_000;

/** For `describe.each`: `$version through $way`. */
export const ways: readonly Way[] = birdVersions().flatMap((each) => waysTo(each));

function waysTo({ version, bird, birdc }: BirdVersion): readonly Way[] {
  return [
    {
      version,
      bird,
      way: 'socket',
      open: (path, onAsync) =>
        openClient({ path, timeoutMillis, ...(onAsync === undefined ? {} : { onAsync }) }),
    },
    {
      version,
      bird,
      way: 'birdc',
      open: (path, onAsync) =>
        openBirdc({
          command: [birdc, '-s', path],
          timeoutMillis,
          ...(onAsync === undefined ? {} : { onAsync }),
        }),
    },
  ];
}
