/**
 * What the owned file says of readiness at a start: a service that was not ready stays so until its checks say
 * otherwise, and one that the boot left withdrawn is still booting. Whoever died in between, nothing comes back before
 * its check has passed.
 */
import type { FileState } from '../../bird/file-states.ts';
import type { DecideMemory, Readied, Standing } from '../core/decide/memory.ts';
import { isWordOfPeople, reasonIn } from '../core/plan/file-words.ts';
import { bootWords, notReadyWords } from '../core/ready/words.ts';
import type { NodeConfig, Service } from '../types/config.ts';
import { announcementKey } from '../types/keys.ts';
import { announceName, drainName } from '../types/protocol-names.ts';
import { families } from '../types/units.ts';

export interface AdoptedReadiness {
  readonly memory: DecideMemory;
  /** Whether the boot left something withdrawn that has not been ready since. */
  readonly booting: boolean;
}

/** `remembered`: of this boot, empty where nothing is; `adopted`: the same with the standing that the file shows. */
export function adoptReadiness(
  config: NodeConfig,
  file: ReadonlyMap<string, FileState>,
  remembered: DecideMemory,
  adopted: DecideMemory,
): AdoptedReadiness {
  const standing: Record<string, Standing> = { ...adopted.standing };
  const readied: Record<string, Readied> = { ...adopted.readied };
  let booting = false;
  for (const service of config.services) {
    if (service.ready.length === 0) continue;
    const found = reasonsOf(config, service, file);
    const taken = found.filter(({ reason }) => isOfReadiness(reason));
    const isBoot = taken.some(({ reason }) => reason.startsWith(bootWords));
    booting ||= isBoot;
    const before = adopted.readied[service.name];
    const said = saidBy(found, taken.length > 0, isBoot, before);
    if (said !== undefined) readied[service.name] = said;
    // It was taken away from above the link verdict; the file does not say what stands beneath.
    for (const { key } of taken) standing[key] = remembered.standing[key] ?? asFound;
  }
  return { memory: { ...adopted, standing, readied }, booting };
}

/** The file is the newer witness: it holds every wish before BIRD does, while a checkpoint is up to a second old. */
function saidBy(
  found: readonly Found[],
  isTaken: boolean,
  isBoot: boolean,
  before: Readied | undefined,
): Readied | undefined {
  if (isTaken) return { ready: false, once: before?.once ?? !isBoot };
  const isAnnounced = found.some(({ isUp, reason }) => isUp && !isWordOfPeople(reason));
  return isAnnounced && before !== undefined ? { ...before, ready: true } : before;
}

function isOfReadiness(reason: string): boolean {
  return reason.startsWith(bootWords) || reason.startsWith(notReadyWords);
}

interface Found {
  readonly key: string;
  /** Announced, and not drained. */
  readonly isUp: boolean;
  readonly reason: string;
}

const asFound: Standing = {
  state: 'announce',
  reason: 'as-found',
  text: 'announced as found, beneath its readiness',
  byVerdict: false,
};

function reasonsOf(
  config: NodeConfig,
  { name, prefixes }: Service,
  file: ReadonlyMap<string, FileState>,
): readonly Found[] {
  return config.uplinks.flatMap(({ name: uplink }) =>
    families
      .filter((family) => prefixes.some((prefix) => prefix.family === family))
      .flatMap((family) => {
        const drain = file.get(drainName(uplink, name, family));
        const announce = file.get(announceName(uplink, name, family));
        // A drain says why in drain_, a withdrawal in both.
        const telling = drain?.disabled === false ? drain : announce;
        if (telling === undefined) return [];
        const isUp = announce?.disabled === false && drain?.disabled !== false;
        return [{ key: announcementKey(uplink, name, family), isUp, reason: reasonIn(telling.description) }];
      }),
  );
}
