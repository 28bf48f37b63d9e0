import type { Command, Option } from 'commander';
import { printJson } from '../terminal.js';

export type Shell = 'bash' | 'zsh' | 'fish';

/** Prints a script for the shell, made from the commands as they are. */
export function completionCommand({
  shell,
  program,
  json,
}: {
  readonly shell: Shell;
  readonly program: Command;
  readonly json?: boolean;
}): void {
  const script = scripts[shell](placesOf(program));
  if (json === true) printJson({ shell, script });
  else process.stdout.write(script);
}

/** Where one can be on the command line, and what can come next. */
interface Place {
  /** The names of the commands with a blank before each; empty at the beginning. */
  readonly path: string;
  readonly commands: readonly Described[];
  readonly options: readonly CompletedOption[];
  /** What the argument can be; empty: anything. */
  readonly choices: readonly string[];
  readonly takesFile: boolean;
}

interface Described {
  readonly name: string;
  readonly description: string;
}

interface CompletedOption extends Described {
  readonly takesValue: boolean;
  /** Empty: any value. */
  readonly choices: readonly string[];
}

function placesOf(command: Command, path = ''): readonly Place[] {
  const [argument] = command.registeredArguments;
  const here: Place = {
    path,
    commands: [...command.commands.map(described), ...(path === '' ? [help] : [])],
    options: [...command.options.flatMap(completedOption), helpOption],
    choices: argument?.argChoices ?? [],
    takesFile: argument?.name() === 'file',
  };
  return [here, ...command.commands.flatMap((child) => placesOf(child, `${path} ${child.name()}`))];
}

const help: Described = { name: 'help', description: 'print the help of a command' };
const helpOption: CompletedOption = {
  name: '--help',
  description: 'print the help',
  takesValue: false,
  choices: [],
};

function described(command: Command): Described {
  return { name: command.name(), description: command.description() };
}

function completedOption({
  long,
  description,
  required,
  optional,
  argChoices,
}: Option): readonly CompletedOption[] {
  if (long === undefined || long === null) return [];
  return [{ name: long, description, takesValue: required || optional, choices: argChoices ?? [] }];
}

const scripts: Record<Shell, (places: readonly Place[]) => string> = { bash, zsh, fish };

function namesOf(described: readonly Described[]): string {
  return described.map(({ name }) => name).join(' ');
}

/** As a word of a shell, whatever is in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function paths(places: readonly Place[], between: string): string {
  return places
    .filter(({ path }) => path !== '')
    .map(({ path }) => quoted(path))
    .join(between);
}

/** The options that take a value, by what they offer, as the pattern of a case. */
function valueOptions(places: readonly Place[]): readonly (readonly [pattern: string, choices: string])[] {
  const patterns = new Map<string, string[]>();
  for (const { path, options } of places) {
    for (const { name, choices } of options.filter(({ takesValue }) => takesValue)) {
      const offered = choices.join(' ');
      patterns.set(offered, [...(patterns.get(offered) ?? []), quoted(`${path} ${name}`)]);
    }
  }
  return [...patterns].map(([choices, places]) => [places.join('|'), choices]);
}

function bash(places: readonly Place[]): string {
  const values = valueOptions(places).map(
    ([place, choices]) => `    ${place}) COMPREPLY=($(compgen -W ${quoted(choices)} -- "$word")); return ;;`,
  );
  const cases = places.map(({ path, commands, options, choices }) => {
    const words = [namesOf(commands), ...choices].join(' ').trim();
    return `    ${quoted(path)}) words=${quoted(words)} options=${quoted(namesOf(options))} ;;`;
  });
  return `# Completes rollcall in bash: made by "rollcall completion bash".
_rollcall() {
  local word=\${COMP_WORDS[COMP_CWORD]} place='' words='' options='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$place \${COMP_WORDS[i]}" in
      ${paths(places, '|')}) place="$place \${COMP_WORDS[i]}" ;;
    esac
  done
  COMPREPLY=()
  case "$place \${COMP_WORDS[COMP_CWORD-1]}" in
${values.join('\n')}
  esac
  case "$place" in
${cases.join('\n')}
  esac
  if [[ $word != -* ]]; then
    case "$place" in
      ${paths(
        places.filter(({ takesFile }) => takesFile),
        '|',
      )}) return ;;
    esac
    [[ -n $words ]] && options=$words
  fi
  COMPREPLY=($(compgen -W "$options" -- "$word"))
}
complete -o default -F _rollcall rollcall
`;
}

function zsh(places: readonly Place[]): string {
  const item = ({ name, description }: Described): string =>
    quoted(`${name}:${description.replaceAll(':', '\\:')}`);
  const values = valueOptions(places).map(
    ([pattern, choices]) =>
      `    ${pattern}) ${choices === '' ? '_default' : `compadd -- ${choices}`}; return ;;`,
  );
  const cases = places.map(({ path, commands, options, choices }) => {
    const words = [...commands, ...choices.map((name) => ({ name, description: name }))];
    return `    ${quoted(path)})
      words_here=(${words.map(item).join(' ')})
      options_here=(${options.map(item).join(' ')}) ;;`;
  });
  return `#compdef rollcall
# Completes rollcall in zsh: made by "rollcall completion zsh".
_rollcall() {
  local place='' i
  local -a words_here options_here
  for ((i = 2; i < CURRENT; i++)); do
    case "$place \${words[i]}" in
      ${paths(places, '|')}) place="$place \${words[i]}" ;;
    esac
  done
  case "$place \${words[CURRENT-1]}" in
${values.join('\n')}
  esac
  case "$place" in
${cases.join('\n')}
  esac
  if [[ \${words[CURRENT]} == -* ]]; then
    _describe -o option options_here
    return
  fi
  case "$place" in
    ${paths(
      places.filter(({ takesFile }) => takesFile),
      '|',
    )}) _files; return ;;
  esac
  if (( \${#words_here} )); then
    _describe command words_here
  else
    _describe -o option options_here
  fi
}
if [[ \${funcstack[1]} == _rollcall ]]; then
  _rollcall "$@"
else
  compdef _rollcall rollcall
fi
`;
}

function fish(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, commands, options, choices, takesFile }) => {
    const at = `complete -c rollcall -n ${quoted(`__rollcall_at ${quoted(path)}`)}`;
    return [
      ...commands.map(({ name, description }) => `${at} -a ${name} -d ${quoted(description)}`),
      ...(takesFile ? [`${at} -F`] : []),
      ...(choices.length > 0 ? [`${at} -a ${quoted(choices.join(' '))}`] : []),
      ...options.map(({ name, description, takesValue, choices: offered }) => {
        const value = takesValue
          ? offered.length === 0
            ? ' -r'
            : ` -x -a ${quoted(offered.join(' '))}`
          : '';
        return `${at} -l ${name.slice(2)}${value} -d ${quoted(description)}`;
      }),
    ];
  });
  return `# Completes rollcall in fish: made by "rollcall completion fish".
function __rollcall_at
  set -l place ''
  for part in (commandline -opc)[2..-1]
    if contains -- "$place $part" ${paths(places, ' ')}
      set place "$place $part"
    end
  end
  test "$place" = "$argv[1]"
end
complete -c rollcall -f
${lines.join('\n')}
`;
}
