import type { CompletedCommand, CompletedFlag, CompletedValue } from './read-commands.ts'

/** Writes the completions for fish. */
export function writeFish([program, ...commands]: readonly [CompletedCommand, ...CompletedCommand[]]): string {
  const { name } = program
  const atStart = '__fish_use_subcommand'
  return `# Completions of ${name} for fish. Add this line to ~/.config/fish/config.fish:
#   ${name} completion fish | source
complete -c ${name} -f
${[
  ...commands.map((command) => line(name, atStart, `-a ${command.name} -d ${quote(command.description)}`)),
  ...program.flags.map((flag) => line(name, atStart, writeFlag(flag))),
  ...commands.flatMap((command) => {
    const isSeen = `__fish_seen_subcommand_from ${command.name}`
    const values = command.values.filter(({ kind }) => kind !== 'other')
    return [...command.flags.map(writeFlag), ...values.map((value) => writeValue(value))].map((rest) =>
      line(name, isSeen, rest),
    )
  }),
].join('\n')}
`
}

function line(name: string, condition: string, rest: string): string {
  return `complete -c ${name} -n ${quote(condition)} ${rest}`
}

function writeFlag({ forms, description, value, isValueOptional }: CompletedFlag): string {
  const names = forms.map((form) => (form.startsWith('--') ? `-l ${form.slice(2)}` : `-s ${form.slice(1)}`))
  // fish has no optional values: it would take the next word for one.
  const parts = value === null || isValueOptional ? [] : ['-r', writeValue(value)]
  return [...names, ...parts, `-d ${quote(description)}`].join(' ')
}

function writeValue(value: CompletedValue): string {
  switch (value.kind) {
    case 'words':
      return `-f -a ${quote(value.words.join(' '))}`
    case 'folder':
      return "-f -a '(__fish_complete_directories)'"
    case 'file':
      return '-F'
    case 'other':
      return '-f'
  }
}

function quote(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}
