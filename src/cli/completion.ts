/** `causeway completion bash|zsh`: a script for the shell, which asks this program what may stand at the cursor. */
import { Argument, type Command } from 'commander';
import { loadConfig } from '../config/load.ts';
import { simulatedScenarios } from '../core/replay/scenarios.ts';
import { historyEntry } from '../types/wire/history.ts';
import { statusDocument } from '../types/wire/status.ts';
import { type Candidate, candidatesFor, configIn, type KnownNames } from './complete.ts';
import { readFromDaemon } from './daemon-reads.ts';
import { defaultConfigFile, examples, type Output } from './exit.ts';
import { defaultSocket } from './reading.ts';

const shells = ['bash', 'zsh'] as const;
type Shell = (typeof shells)[number];

/** COMP_WORDS has the words up to the cursor whole; an empty answer leaves file names to the shell. */
const bash = `# Completion of causeway for bash. To have it in each shell:
#   causeway completion bash > /etc/bash_completion.d/causeway
_causeway() {
  local IFS=$'\\n'
  COMPREPLY=($("\${COMP_WORDS[0]}" completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _causeway causeway`;

const zsh = `#compdef causeway
# Completion of causeway for zsh. To have it in each shell:
#   causeway completion zsh > /usr/share/zsh/vendor-completions/_causeway
_causeway() {
  local -a candidates
  candidates=("\${(@f)$("\${words[1]}" completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${candidates[1]}" ]]; then
    _describe causeway candidates
  else
    _files
  fi
}
if [[ "\${funcstack[1]}" = _causeway ]]; then
  _causeway "$@"
else
  compdef _causeway causeway
fi`;

const scripts: Readonly<Record<Shell, string>> = { bash, zsh };

/** Adds the subcommand. Exit code 0. */
export function registerCompletion(program: Command, output: Output): void {
  program
    .command('completion')
    .description('print a script that completes commands, options and names in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .argument('[words...]', 'what is typed so far, behind --: print what may follow, as the script asks')
    .option('--json', 'print {script}, or {candidates} where words are given', false)
    .addHelpText(
      'after',
      examples(
        'source <(causeway completion bash)',
        'causeway completion zsh > _causeway',
        'causeway completion bash -- drain cm',
      ),
    )
    .action(async (shell: Shell, words: readonly string[], options: { readonly json: boolean }) => {
      const answer = words.length === 0 ? null : candidatesFor(program, words, await namesFor(words));
      if (options.json)
        output.answer(JSON.stringify(answer === null ? { script: scripts[shell] } : { candidates: answer }));
      else if (answer === null) output.answer(scripts[shell]);
      else if (answer.length > 0) output.answer(linesFor(shell, answer));
    });
}

function linesFor(shell: Shell, candidates: readonly Candidate[]): string {
  return candidates
    .map(({ word, meaning }) => (shell === 'zsh' ? described(word, meaning) : word))
    .join('\n');
}

/** `_describe` takes `word:meaning`, with colons of the word escaped. */
function described(word: string, meaning: string): string {
  const escaped = word.replaceAll(':', String.raw`\:`);
  return meaning === '' ? escaped : `${escaped}:${meaning.split('\n')[0] ?? ''}`;
}

/** From the config; from the running daemon where the config cannot be read just now. */
async function namesFor(words: readonly string[]): Promise<KnownNames> {
  const fixed = {
    scenarios: simulatedScenarios.map(({ name }) => name),
    kinds: historyEntry.options.map((option) => option.shape.kind.value),
  };
  const loaded = await loadConfig(configIn(words) ?? defaultConfigFile);
  const name = (one: { readonly name: string }): string => one.name;
  if (loaded.kind === 'ok') {
    const { uplinks, services } = loaded.config;
    return { ...fixed, uplinks: uplinks.map(name), services: services.map(name) };
  }
  const read = await readFromDaemon([{ kind: 'socket', path: defaultSocket }], '/v1/status', statusDocument);
  if (read.kind !== 'answer') return { ...fixed, uplinks: [], services: [] };
  const { uplinks, services = [] } = read.value;
  return {
    ...fixed,
    uplinks: uplinks.map(({ uplink }) => uplink),
    services: services.map(({ service }) => service),
  };
}
