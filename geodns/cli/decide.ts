/** `causeway-geodns decide [NAME] ADDRESS`: by the files alone, as if every target were up; with a token, as it is now. */
import type { Command } from 'commander';
import type { GeoDnsDecision } from '../../src/types/wire/geodns-answers.ts';
import { formatAddress, parseClient } from '../address.ts';
import { viewOf } from '../decision/availability.ts';
import { clientOf, decide, type Decision } from '../decision/decide.ts';
import { emptyState } from '../decision/state.ts';
import { type Files, FilesError, readFiles } from '../service/files.ts';
import { print } from './output.ts';
import { type ServiceOptions, serviceOf, withServiceOptions } from './service-command.ts';

interface Options extends ServiceOptions {
  readonly type: string;
}

export function addDecide(program: Command): void {
  const command = program
    .command('decide')
    .description(
      'what a user would be answered, were every target up, and why; without a name, of every policy. With --token-file, as targets are now (of one name)',
    )
    .usage('[options] [name] <address>')
    .argument('<words...>', 'a name of the rules, if only one is asked about; and the address of the user')
    .option('--type <type>', 'A or AAAA', 'A');
  withServiceOptions(command).action(act);
}

async function act(words: readonly string[], options: Options): Promise<void> {
  const { type } = options;
  if (words.length > 2 || (type !== 'A' && type !== 'AAAA'))
    throw new FilesError(['usage: causeway-geodns decide [NAME] ADDRESS [--type A|AAAA]']);
  if (options.tokenFile !== undefined) return now(words, options);
  const files = await readFiles(options.config);
  const text = words.at(-1) ?? '';
  const address = parseClient(text);
  if (address === undefined) throw new FilesError([`"${text}" is not an address`]);
  const view = viewOf(files.rules, emptyState, Date.now());
  const client = clientOf(files.networks, address, files.lookup(address));
  const decisions = policiesFor(files, words.length === 2 ? words[0] : undefined).map((policy) =>
    decide(view, policy, client, type === 'AAAA' ? 6 : 4),
  );
  const shown = decisions.map(({ client: { facts, classification }, ...rest }) =>
    Object.assign({ ip: formatAddress(address), facts, classification }, rest),
  );
  print(options, shown, decisions.flatMap(linesOf));
}

async function now([name, ip]: readonly string[], options: Options): Promise<void> {
  if (name === undefined || ip === undefined)
    throw new FilesError(['the running service is asked about one name: decide NAME ADDRESS']);
  const service = await serviceOf(options);
  const query = new URLSearchParams({ name, ip, type: options.type });
  const decision = await service<GeoDnsDecision>({ method: 'GET', path: `/v1/decide?${query.toString()}` });
  const { why, answer } = decision;
  print(options, decision, [...why, JSON.stringify(answer)]);
}

function policiesFor({ rules }: Files, name: string | undefined): readonly Policy[] {
  if (name === undefined) return [...rules.policies.values()];
  const policy = rules.names.get(name.endsWith('.') ? name : `${name}.`);
  if (policy === undefined) throw new FilesError([`the rules have no name ${name}`]);
  return [policy];
}
type Policy = Parameters<typeof decide>[1];

function linesOf({ policy, why, answer }: Decision): readonly string[] {
  return [`policy ${policy}`, ...why.map((line) => `  ${line}`), `  ${JSON.stringify(answer)}`];
}
