import type { Argument, Command, Option } from 'commander'
import type { Terminal } from '../terminal/terminal.ts'

const WRITERS = { bash: writeBash, zsh: writeZsh, fish: writeFish }

/** Runs `hydrant completion`: prints the script with which a shell completes the words of the program. */
export function runCompletion(shell: keyof typeof WRITERS, program: Command, { stdout }: Terminal) {
  stdout.write(WRITERS[shell](readCommands(program)))
}

/** The values that a flag or an argument takes. */
export type CompletedValue =
  | { kind: 'words'; words: readonly string[] }
  | { kind: 'folder' }
  | { kind: 'file' }
  | { kind: 'other' }

export interface CompletedFlag {
  /** The short and the long form, with their hyphens. */
  forms: string[]
  description: string
  /** Null for a flag without a value. */
  value: CompletedValue | null
  /** The flag also works without its value. */
  isValueOptional: boolean
}

export interface CompletedCommand {
  name: string
  description: string
  flags: CompletedFlag[]
  /** The values of the arguments that are not flags, in their order. The last one may be repeated. */
  values: CompletedValue[]
}

/** Reads what a shell needs for completions from a program: first the program itself, then its commands. */
export function readCommands(program: Command): [CompletedCommand, ...CompletedCommand[]] {
  const commands = program.createHelp().visibleCommands(program)
  const names = commands.map((command) => command.name())
  return [readCommand(program, names), ...commands.map((command) => readCommand(command, names))]
}

/** `names` are the values of an argument that is called `command`. */
function readCommand(command: Command, names: readonly string[]): CompletedCommand {
  return {
    name: command.name(),
    description: command.description(),
    flags: command.createHelp().visibleOptions(command).map(readFlag),
    values: command.registeredArguments.map((argument: Argument) =>
      readValue(argument.name(), argument.name() === 'command' ? names : argument.argChoices),
    ),
  }
}

function readFlag({ short, long, description, flags, required, optional, argChoices }: Option): CompletedFlag {
  const [, name = ''] = /[<[](.+)[>\]]$/.exec(flags) ?? []
  return {
    forms: [short, long].filter((form) => form !== undefined),
    description,
    value: required || optional ? readValue(name, argChoices) : null,
    isValueOptional: optional,
  }
}

/** Reads the kind of a value from its name in the help: `<file>`, `[dir]`, `[boolean]`. */
function readValue(name: string, choices: readonly string[] | undefined): CompletedValue {
  if (choices) return { kind: 'words', words: choices }
  if (name === 'boolean') return { kind: 'words', words: ['true', 'false'] }
  if (name === 'dir') return { kind: 'folder' }
  return name === 'file' ? { kind: 'file' } : { kind: 'other' }
}

/** Writes the completions for bash, from version 3.2 on, which macOS has. */
export function writeBash([program, ...commands]: readonly [CompletedCommand, ...CompletedCommand[]]): string {
  const { name } = program
  const all = [{ ...program, name: '' }, ...commands]
  const values = all.flatMap((command) =>
    command.flags.flatMap(({ forms, value, isValueOptional }) => {
      if (value === null || isValueOptional) return []
      const patterns = forms.map((form) => `'${command.name} ${form}'`).join('|')
      return [`    ${patterns}) ${complete(value)}; return ;;`]
    }),
  )
  const words = all.map((command) => {
    const flags = command.flags.flatMap(({ forms }) => forms).join(' ')
    const others = command.name === '' ? completeWords(commands.map((one) => one.name)) : completeValues(command.values)
    return `    '${command.name}') if [[ $cur == -* ]]; then ${completeWords([flags])}; else ${others}; fi ;;`
  })
  return `# Completions of ${name} for bash. Add this line to ~/.bashrc:
#   source <(${name} completion bash)
_${name}() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" command='' i
  # Bash takes the "=" of --flag=value for a word.
  if [[ $cur == '=' ]]; then cur=''; elif [[ $prev == '=' ]]; then prev="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in
      ${commands.map((command) => command.name).join('|')}) command="\${COMP_WORDS[i]}"; break ;;
    esac
  done
  case "$command $prev" in
${values.join('\n')}
  esac
  case "$command" in
${words.join('\n')}
  esac
}
complete -F _${name} ${name}
`
}

function completeValues(values: readonly CompletedValue[]): string {
  const value = values.find(({ kind }) => kind !== 'other')
  return value ? complete(value) : ':'
}

function complete(value: CompletedValue): string {
  if (value.kind === 'words') return completeWords(value.words)
  if (value.kind === 'other') return ':'
  const action = value.kind === 'folder' ? '-d' : '-f'
  // Version 3.2 has no compopt.
  return `local IFS=$'\\n'; COMPREPLY=($(compgen ${action} -- "$cur")); compopt -o filenames 2>/dev/null`
}

function completeWords(words: readonly string[]): string {
  return `COMPREPLY=($(compgen -W '${words.join(' ')}' -- "$cur"))`
}

/** Writes the completions for fish. */
export function writeFish([program, ...commands]: readonly [CompletedCommand, ...CompletedCommand[]]): string {
  const { name } = program
  const atStart = '__fish_use_subcommand'
  return `# Completions of ${name} for fish. Add this line to ~/.config/fish/config.fish:
#   ${name} completion fish | source
complete -c ${name} -f
${[
  ...commands.map((command) => line(name, atStart, `-a ${command.name} -d ${quoteForFish(command.description)}`)),
  ...program.flags.map((flag) => line(name, atStart, writeFishFlag(flag))),
  ...commands.flatMap((command) => {
    const isSeen = `__fish_seen_subcommand_from ${command.name}`
    const values = command.values.filter(({ kind }) => kind !== 'other')
    return [...command.flags.map(writeFishFlag), ...values.map((value) => writeValue(value))].map((rest) =>
      line(name, isSeen, rest),
    )
  }),
].join('\n')}
`
}

function line(name: string, condition: string, rest: string): string {
  return `complete -c ${name} -n ${quoteForFish(condition)} ${rest}`
}

function writeFishFlag({ forms, description, value, isValueOptional }: CompletedFlag): string {
  const names = forms.map((form) => (form.startsWith('--') ? `-l ${form.slice(2)}` : `-s ${form.slice(1)}`))
  // fish has no optional values: it would take the next word for one.
  const parts = value === null || isValueOptional ? [] : ['-r', writeValue(value)]
  return [...names, ...parts, `-d ${quoteForFish(description)}`].join(' ')
}

function writeValue(value: CompletedValue): string {
  switch (value.kind) {
    case 'words':
      return `-f -a ${quoteForFish(value.words.join(' '))}`
    case 'folder':
      return "-f -a '(__fish_complete_directories)'"
    case 'file':
      return '-F'
    case 'other':
      return '-f'
  }
}

function quoteForFish(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}

/** Writes the completions for zsh. */
export function writeZsh([program, ...commands]: readonly [CompletedCommand, ...CompletedCommand[]]): string {
  const { name } = program
  const list = commands.map((command) => `    ${quoteForZsh(`${command.name}:${command.description}`)}`)
  return `#compdef ${name}
# Completions of ${name} for zsh. Add this line to ~/.zshrc, after compinit:
#   source <(${name} completion zsh)
_${name}() {
  local -a commands
  commands=(
${list.join('\n')}
  )
  if (( CURRENT == 2 )); then
    if [[ $words[CURRENT] == -* ]]; then
      ${writeArguments(program)}
    else
      _describe command commands
    fi
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
${commands.map((command) => `    ${command.name})\n      ${writeArguments(command)}\n      ;;`).join('\n')}
  esac
}
if [[ $funcstack[1] == _${name} ]]; then
  _${name} "$@"
else
  compdef _${name} ${name}
fi
`
}

function writeArguments({ flags, values }: CompletedCommand): string {
  const completed = values.filter(({ kind }) => kind !== 'other')
  const positions = completed.map((value) => quoteForZsh(`*:${nameOf(value)}:${actionOf(value)}`))
  return ['_arguments', ...flags.map(writeZshFlag), ...positions].join(' \\\n        ')
}

function writeZshFlag({ forms, description, value, isValueOptional }: CompletedFlag): string {
  const text = `[${description.replace(/[[\]\\]/g, '\\$&')}]`
  const action = value === null ? '' : `:${isValueOptional ? ':' : ''}${nameOf(value)}:${actionOf(value)}`
  const names =
    forms.length > 1 ? `${quoteForZsh(`(${forms.join(' ')})`)}{${forms.join(',')}}` : quoteForZsh(forms.join(''))
  return names + quoteForZsh(text + action)
}

function nameOf({ kind }: CompletedValue): string {
  return kind === 'folder' || kind === 'file' ? kind : 'value'
}

function actionOf(value: CompletedValue): string {
  switch (value.kind) {
    case 'words':
      return `(${value.words.join(' ')})`
    case 'folder':
      return '_files -/'
    case 'file':
      return '_files'
    case 'other':
      return ' '
  }
}

function quoteForZsh(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
