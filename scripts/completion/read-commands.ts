import type { Argument, Command, Option } from 'commander'

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
