/** `causeway-geodns revisions [NUMBER]`: from the disk, so also while the service is stopped. */
import type { Command } from 'commander';
import { FilesError } from '../service/files.ts';
import { headOf, type RevisionHead, RevisionStore, revisionsFolder } from '../service/revisions.ts';
import { type ConfigOptions, configFlag, jsonFlag, print } from './output.ts';
import { readConfigFile } from './reading.ts';

export function addRevisions(program: Command): void {
  program
    .command('revisions')
    .description('what rules were in force when, by whom and why; with a number, the text of its rules')
    .argument('[number]')
    .option('--networks', 'the text of its networks.yaml instead')
    .option(...configFlag)
    .option(...jsonFlag)
    .action(act);
}

async function act(
  number: string | undefined,
  options: ConfigOptions & { readonly networks?: boolean },
): Promise<void> {
  const { state } = await readConfigFile(options.config);
  const store = await storeIn(state);
  if (number === undefined) {
    const list = [...store.list()].reverse();
    return print(options, list, list.length === 0 ? ['no revisions yet'] : list.map(lineOf));
  }
  const revision = store.get(wholeNumber(number));
  if (revision === null) throw new FilesError([`no revision ${number}; there are ${numbersOf(store)}`]);
  const { texts } = revision;
  print(options, { ...headOf(revision), texts }, [
    (options.networks === true ? texts.networks : texts.rules).replace(/\n$/, ''),
  ]);
}

/** Throws a FilesError. */
export async function storeIn(state: string): Promise<RevisionStore> {
  const folder = revisionsFolder(state);
  try {
    return await RevisionStore.read(folder);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw new FilesError([`${folder}: cannot be read (${code}); has the service run here?`]);
  }
}

export function numbersOf(store: RevisionStore): string {
  return (
    store
      .list()
      .map(({ number }) => number)
      .join(', ') || 'none'
  );
}

/** Throws a FilesError. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new FilesError([`"${text}" is not the number of a revision`]);
  return Number(text);
}

function lineOf({ number, serial, author, reason, at, of }: RevisionHead): string {
  const back = of === null ? '' : ` (brings back ${of})`;
  return `${String(number).padStart(4)}  ${at}  serial ${serial ?? '-'}  ${author}${reason === '' ? '' : `: ${reason}`}${back}`;
}
