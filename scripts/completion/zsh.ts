import type { CompletedCommand, CompletedFlag, CompletedValue } from './read-commands.ts'

/** Writes the completions for zsh. */
export function writeZsh([program, ...commands]: readonly [CompletedCommand, ...CompletedCommand[]]): string {
  const { name } = program
  const list = commands.map((command) => `    ${quote(`${command.name}:${command.description}`)}`)
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
  const positions = completed.map((value) => quote(`*:${nameOf(value)}:${actionOf(value)}`))
  return ['_arguments', ...flags.map(writeFlag), ...positions].join(' \\\n        ')
}

function writeFlag({ forms, description, value, isValueOptional }: CompletedFlag): string {
  const text = `[${description.replace(/[[\]\\]/g, '\\$&')}]`
  const action = value === null ? '' : `:${isValueOptional ? ':' : ''}${nameOf(value)}:${actionOf(value)}`
  const names = forms.length > 1 ? `${quote(`(${forms.join(' ')})`)}{${forms.join(',')}}` : quote(forms.join(''))
  return names + quote(text + action)
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

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
