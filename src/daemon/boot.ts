/**
 * `causeway boot`, run once after a reboot and before BIRD: with `on_boot: hold`, services with a readiness check come up
 * withdrawn. It changes state lines of the owned file and nothing else, and a boot never waits or fails for it.
 */
import { join } from 'node:path';
import { mkdir, readFile } from 'node:fs/promises';
import { NotOwnedError, readStates, restate } from '../../bird/file-states.ts';
import { OwnedFileError, readOwned, writeOwned } from '../../bird/owned-file.ts';
import { writeAtomic } from '../store/atomic-file.ts';
import type { NodeConfig } from '../types/config.ts';
import type { Override } from '../types/override.ts';
import { bootStates } from './boot-states.ts';
import { bootId } from './checkpoint.ts';
import { openFreezeFile } from './freeze-file.ts';
import { openOverrideStore } from './override-store.ts';

export type BootResult =
  /** The file holds these protocols down now. */
  | { readonly kind: 'held'; readonly protocols: readonly string[]; readonly text: string }
  /** As it should be without a change. */
  | { readonly kind: 'left'; readonly text: string }
  /** It was to be held and could not be; BIRD comes up with what the file says. */
  | { readonly kind: 'unable'; readonly code: 'no-file' | 'failed'; readonly text: string };

/** Safe to repeat: the second time in a boot changes nothing. `wallMillis`: now, by which overrides expire. */
export async function holdForBoot(config: NodeConfig, wallMillis = Date.now()): Promise<BootResult> {
  if (config.onBoot === 'as-left')
    return { kind: 'left', text: 'on_boot is as-left: BIRD comes up as it was' };
  if (config.mode === 'observe') return { kind: 'left', text: 'mode is observe: no file of BIRD is written' };
  if (!config.services.some(({ ready }) => ready.length > 0))
    return { kind: 'left', text: 'no service has a readiness check' };
  const marker = join(config.paths.state, 'booted');
  const id = await bootId();
  if ((await textOf(marker)) === id) return { kind: 'left', text: 'this boot was seen to already' };
  if ((await openFreezeFile(config.paths.state).look()) !== null)
    return { kind: 'left', text: 'frozen: BIRD comes up as it was' };
  const kept = await openOverrideStore(config.paths.state).load();
  const result = await hold(
    config,
    kept.overrides.filter((one) => !isOver(one, wallMillis)),
  );
  // A file that was missing may be there the next time.
  if (result.kind !== 'unable') await mark(marker, config.paths.state, id);
  return result;
}

async function hold(config: NodeConfig, overrides: readonly Override[]): Promise<BootResult> {
  const path = config.bird.config;
  try {
    const text = await readOwned(path);
    const changes = bootStates(config, readStates(text), overrides);
    if (changes.size === 0) return { kind: 'left', text: 'nothing with a readiness check would come up' };
    await writeOwned(path, restate(text, changes));
    const protocols = [...changes.keys()];
    return {
      kind: 'held',
      protocols,
      text: `${protocols.length} protocols come up down, until their services are ready`,
    };
  } catch (error) {
    if (!(error instanceof OwnedFileError) && !(error instanceof NotOwnedError)) throw error;
    const isMissing = error instanceof OwnedFileError && error.code === 'ENOENT';
    const mend = 'BIRD comes up with what it has; `causeway render --write` writes the file';
    const what = error instanceof NotOwnedError ? `${path}: ${error.message}` : error.message;
    return { kind: 'unable', code: isMissing ? 'no-file' : 'failed', text: `${what}; ${mend}` };
  }
}

function isOver({ expires }: Override, wallMillis: number): boolean {
  return expires !== null && !(wallMillis < Date.parse(expires));
}

/** A disk that does not keep the mark is no reason to fail: systemd runs the unit once in a boot anyway. */
async function mark(marker: string, folder: string, id: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await writeAtomic(marker, id);
  } catch {
    // The next run in this boot would hold again what is not ready by then.
  }
}

async function textOf(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch(() => null);
}
