import type { KeptError, SourceFrame } from '../../src/server/errors/failure-record.ts'
import { toLines } from './plain-text.ts'

interface InnerFormat {
  /** Formats the name of an error: `Caused by:`. */
  name(text: string): string
  stack(frames: readonly SourceFrame[], indent: string): string[]
}

/** Formats the causes of an error and the errors of an AggregateError, with theirs. An empty line is before each. */
export function formatInner({ cause, errors = [] }: KeptError, format: InnerFormat, indent = ''): string[] {
  const named: [string, KeptError][] = [
    ...(cause ? [['Caused by', cause] satisfies [string, KeptError]] : []),
    ...errors.map((one, index): [string, KeptError] => [`Error ${index + 1} of ${errors.length}`, one]),
  ]
  return named.flatMap(([name, error]) => {
    const [first = '', ...rest] = formatTitle(error)
    return [
      '',
      `${indent}${format.name(`${name}:`)} ${first}`,
      ...rest.map((line) => indent + line),
      ...format.stack(error.stack, `${indent}  `),
      // A cause keeps the indent of its error; the causes of one of several errors are indented.
      ...formatInner(error, format, name === 'Caused by' ? indent : `${indent}  `),
    ]
  })
}

/** Formats the type and the message of an error. */
export function formatTitle({ type, message }: { type: string; message: string }): string[] {
  const [first = '', ...rest] = toLines(`${type}: ${message}`)
  // Indented, so that no line of a message can look like a line of the report.
  return [first, ...rest.map((line) => `  ${line}`)]
}
