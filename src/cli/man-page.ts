/** causeway(1), from the same definitions that read the command line. Pure. */
import type { Argument, Command, Option } from 'commander';
import { argument, sentences } from '../config/mdoc.ts';

const introduction = `.Dd November 30, 2026
.Dt CAUSEWAY 1
.Os
.Sh NAME
.Nm causeway
.Nd look at and command a Causeway node
.Sh SYNOPSIS
.Nm
.Ar command
.Op Ar argument ...
.Op Fl -help
.Sh DESCRIPTION
One command for the daemon, its configuration and BIRD's.
Commands that ask or command the daemon go over its control socket,
.Pa /run/causeway/control.sock ,
which root and group causeway may open; they need no DNS, no route and no Redis.
Where a command takes
.Fl -json ,
its answer is JSON and nothing else.
.Pp
The daemon itself is described in
.Xr causeway 8 ,
its configuration in
.Xr causeway.yaml 5 .
.Pp
The commands are:`;

const end = `.Sh ENVIRONMENT
.Bl -tag -width Ds -compact
.It Ev NO_COLOR
No colour, also on a terminal.
.El
.Sh FILES
.Bl -tag -width Ds -compact
.It Pa /etc/causeway/causeway.yaml
The configuration.
.It Pa /run/causeway/control.sock
The daemon's control socket.
.El
.Sh EXIT STATUS
.Bl -tag -width Ds -compact
.It 0
Done.
.It 1
The answer is no: a check failed, there are differences, the daemon refused.
.It 2
Usage, or the configuration is not valid.
.It 3
The daemon or BIRD cannot be reached.
.El
.Sh SEE ALSO
.Xr causeway.yaml 5 ,
.Xr causeway 8`;

/** The whole page, from its date to its last line. */
export function commandManPage(program: Command): string {
  const commands = program.commands.filter((command) => command.name() !== 'help');
  const lines = ['.Bl -tag -width Ds', ...commands.flatMap((command) => commandLines(command, '')), '.El'];
  return `.\\" Made from the commands by test/unit/man-pages.test.ts; UPDATE_DOCS=1 renews it.\n${introduction}\n${lines.join('\n')}\n${end}\n`;
}

/** A command, then its own subcommands. */
function commandLines(command: Command, before: string): readonly string[] {
  const name = `${before}${command.name()}`;
  const own = command.commands.filter((sub) => sub.name() !== 'help');
  if (own.length > 0 && command.options.length === 0 && command.registeredArguments.length === 0)
    return own.flatMap((sub) => commandLines(sub, `${name} `));
  const options = command.options.filter((option) => !option.hidden);
  return [
    `.It Ic ${argument(name)}${command.registeredArguments.map((one) => argumentText(one)).join('')}`,
    ...sentences(sentence(command.description())),
    ...(options.length === 0 ? [] : ['.Bl -tag -width Ds -compact', ...options.flatMap(optionLines), '.El']),
    ...own.flatMap((sub) => commandLines(sub, `${name} `)),
  ];
}

function argumentText(one: Argument): string {
  const text = ` Ar ${argument(one.name())}${one.variadic ? ' ...' : ''}`;
  return one.required ? text : ` Op${text}`;
}

function optionLines(option: Option): readonly string[] {
  // `-c, --config <file>` and `--until [time]` of commander's own syntax.
  const [, flags = option.flags, value] = /^(.*?)(?: [<[](.+)[>\]])?$/.exec(option.flags) ?? [];
  const names = flags.split(', ').map((flag) => `Fl ${argument(flag.slice(1))}`);
  return [
    `.It ${names.join(' , ')}${value === undefined ? '' : ` Ar ${argument(value)}`}`,
    ...sentences(sentence(option.description)),
    ...sentences(valuesText(option)),
  ].filter((line) => line !== '');
}

function valuesText(option: Option): string {
  const { argChoices, defaultValue } = option;
  const choices = argChoices === undefined ? '' : `One of ${argChoices.join(', ')}.`;
  // Whoever makes the page is not everybody's default author.
  const isSaid = ['string', 'number'].includes(typeof defaultValue) && option.long !== '--author';
  const fallback = isSaid ? `Default: ${String(defaultValue)}.` : '';
  return `${choices} ${fallback}`.trim();
}

function sentence(text: string): string {
  const first = text.trim().charAt(0);
  const rest = text.trim().slice(1);
  if (first === '') return '';
  return `${first.toUpperCase()}${rest}${/[.!?]$/.test(rest) ? '' : '.'}`;
}
