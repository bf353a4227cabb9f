import {
  MAX_REPORTED_CAUSES,
  MAX_REPORTED_ERRORS,
  MAX_REPORTED_INNER,
  REPORT_LENGTHS,
  type ReportedError,
} from '../shared/wire/report-format.ts'
import { STACKS_VARIABLE, type ThrownStacks } from '../shared/wire/thrown-stacks.ts'
import { shortenMismatch } from './dev/shorten-mismatch.ts'

/** The build replaces the variable, and removes what only development needs. */
declare const process: { env: { NODE_ENV: string } }

/** Matches a frame with a position. */
const POSITION = /:\d+:\d+\)?$/

/**
 * Describes a value with its causes and the errors of an AggregateError, within the limits of a report.
 *
 * @param thrown The value that was thrown. It may have nothing to describe, so that another one stands for it.
 */
export function describeThrown(value: unknown, thrown: unknown): ReportedError {
  let left = MAX_REPORTED_INNER

  // The value may be an object that throws when it is read.
  function describe(value: unknown, thrown: unknown, depth: number, length: StackLength): ReportedError {
    try {
      const described = value instanceof Error ? describeError(value, depth, length) : describeValue(value)
      if (framesIn(described.stack).length === 0) described.stack = keptStack(thrown, length) || described.stack
      return described
    } catch {
      return { type: 'Object', message: 'an object that cannot be read', stack: '' }
    }
  }

  function describeError(error: Error, depth: number, length: StackLength): ReportedError {
    const { name, message, stack, cause, errors } = error as AggregateError
    const described: ReportedError = {
      type: cut(name, 'type') || 'Error',
      message: cut(
        process.env.NODE_ENV === 'development' ? shortenMismatch(message, REPORT_LENGTHS.message) : message,
        'message',
      ),
      stack: cut(stack ?? '', length),
    }
    if (depth >= MAX_REPORTED_CAUSES) return described
    if (cause !== undefined && left-- > 0) described.cause = describe(cause, cause, depth + 1, length)
    if (Array.isArray(errors))
      described.errors = errors
        .slice(0, MAX_REPORTED_ERRORS)
        .flatMap((one) => (left-- > 0 ? [describe(one, one, depth + 1, 'innerStack')] : []))
    return described
  }

  return describe(value, thrown, 0, 'stack')
}

type StackLength = 'stack' | 'innerStack'

/** Returns the lines of a stack that are frames. */
export function framesIn(stack: string): string[] {
  return stack.split('\n').filter((line) => POSITION.test(line))
}

/** Returns the stack that the site's scripts have kept for a value without one, or an empty string. */
function keptStack(thrown: unknown, length: StackLength): string {
  const [primitives, objects] = (self as { [STACKS_VARIABLE]?: ThrownStacks })[STACKS_VARIABLE] ?? []
  // A WeakMap returns undefined for a primitive value.
  const stack = primitives?.get(thrown) ?? objects?.get(thrown as WeakKey) ?? ''
  // The first frame is that of the function that keeps the stack.
  return cut(framesIn(stack).slice(1).join('\n'), length)
}

// The values of an object may be secret or large, so only its keys are reported.
function describeValue(value: unknown): ReportedError {
  if (value === null || value === undefined)
    return { type: String(value), message: `nothing (${value}) was thrown`, stack: '' }
  if (typeof value !== 'object') return { type: typeof value, message: cut(value, 'message'), stack: '' }
  const keys = Object.keys(value).slice(0, 20).join(', ')
  return { type: 'Object', message: cut(`an object with the keys ${keys || '(none)'}`, 'message'), stack: '' }
}

function cut(text: unknown, name: 'type' | 'message' | StackLength): string {
  return String(text).slice(0, REPORT_LENGTHS[name])
}
