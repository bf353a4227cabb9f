import type { CompletedCommand, CompletedValue } from './read-commands.ts'

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
