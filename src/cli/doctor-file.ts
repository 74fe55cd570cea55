/** What `causeway doctor` looks at in the owned file: that it is there and whole, and the base that BIRD and config have. */
import { readFile } from 'node:fs/promises';
import { readPasswords } from '../../bird/apply/passwords.ts';
import { renderInStates } from '../../bird/apply/render-in-states.ts';
import { markOf } from '../../bird/base-mark.ts';
import { NotOwnedError, readStates, sameBase } from '../../bird/file-states.ts';
import { type Check, type Finding, finding } from '../host/doctor.ts';
import type { NodeConfig } from '../types/config.ts';
import type { BirdContext } from './doctor-bird.ts';

export const fileChecks: readonly Check<BirdContext>[] = [
  { id: 'bird.file', title: 'the owned file', run: ({ config }) => fileFinding(config) },
  { id: 'bird.base', title: 'the base that BIRD runs', run: runningFinding },
  { id: 'bird.config', title: 'the base that the config makes', run: ({ config }) => waitingFinding(config) },
];

async function fileFinding(config: NodeConfig): Promise<Finding> {
  const path = config.bird.config;
  try {
    const text = await readFile(path, 'utf8');
    if (text.trim() === '') return fileMissing(`${path} is empty`);
    readStates(text);
    return { kind: 'ok', text: `${path} is there and whole` };
  } catch (error) {
    if (error instanceof NotOwnedError) return foreign(path, error.message);
    if (!(error instanceof Error)) throw error;
    const isMissing = 'code' in error && error.code === 'ENOENT';
    if (isMissing && config.mode === 'observe')
      return { kind: 'skipped', text: `${path} is not there, and mode observe does not need it` };
    return fileMissing(error.message);
  }
}

function fileMissing(what: string): Finding {
  return finding('file-missing', {
    what,
    why: 'BIRD has nothing of Causeway to read at its next start or configure',
    mend: 'causeway render --write && birdc configure',
  });
}

function foreign(path: string, what: string): Finding {
  return finding('file-foreign', {
    what: `${path} is not a whole file of Causeway: ${what}`,
    why: 'the wish that stood in it is not known, and BIRD may refuse it or read half of it',
    mend: `cp ${path} /root/ && causeway render --write --plain && birdc configure  # everything is announced then`,
  });
}

/** BIRD tells the mark of the text that it really runs, which neither the file nor its times can. */
async function runningFinding({ config, bird, mark }: BirdContext): Promise<Finding> {
  if (bird.kind !== 'seen') return { kind: 'skipped', text: 'BIRD does not answer' };
  const text = await readFile(config.bird.config, 'utf8').catch(() => null);
  const wanted = text === null ? null : markOf(text);
  if (wanted === null) return { kind: 'skipped', text: 'the owned file has no mark' };
  if (mark === wanted) return { kind: 'ok', text: `BIRD runs the base of the owned file (${mark})` };
  return finding('base-differs', {
    what:
      mark === null
        ? 'BIRD has loaded no base of Causeway'
        : `BIRD runs base ${mark}, and the owned file is base ${wanted}`,
    why: 'the next `configure` by anybody, or a restart of BIRD, changes what it does',
    mend:
      mark === null
        ? `grep -n include /etc/bird/bird.conf  # it needs: include "${config.bird.config}"; then: birdc configure`
        : 'causeway diff  # what differs; then: causeway apply',
  });
}

async function waitingFinding(config: NodeConfig): Promise<Finding> {
  const text = await readFile(config.bird.config, 'utf8').catch(() => null);
  if (text === null) return { kind: 'skipped', text: 'the owned file is not there' };
  const passwords = await readPasswords(config.uplinks);
  if (passwords.kind === 'bad') return { kind: 'skipped', text: 'a password file cannot be read' };
  if (sameBase(text, renderInStates(config, new Map(), passwords)))
    return { kind: 'ok', text: 'it is that of the owned file' };
  return finding('base-waits', {
    what: 'the config makes another base than the owned file holds',
    why: 'what was changed in the config (prefixes, peers, MED, …) is not in force in BIRD',
    mend: 'causeway diff  # shows what would change; then: causeway apply',
  });
}
