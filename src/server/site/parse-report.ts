import { formatDigest, parseDigest } from '../../shared/wire/digest-format.ts'
import {
  MAX_REPORTED_CAUSES,
  MAX_REPORTED_ERRORS,
  MAX_REPORTED_INNER,
  REPORT_LENGTHS,
  type Report,
  type ReportedError,
  withoutQueries,
} from '../../shared/wire/report-format.ts'
import { removeControlCharacters } from '../log/control-characters.ts'

export type ParsedReport = { report: Report } | { problem: string }

type Fields = Record<string, unknown>
type StackLength = 'stack' | 'innerStack'

/**
 * Checks all fields of a report, which any client can send. Removes characters that control terminals, and queries of
 * URLs in stacks.
 */
export function parseReport(json: unknown): ParsedReport {
  try {
    return { report: toReport(json) }
  } catch (error) {
    if (error instanceof InvalidReport) return { problem: error.message }
    throw error
  }
}

class InvalidReport extends Error {}

function toReport(json: unknown): Report {
  const fields = toFields(json, 'the report')
  const build = toText(fields, 'build')
  const path = toText(fields, 'path')
  if (!path.startsWith('/')) throw new InvalidReport('"path" must begin with a slash')
  switch (fields.kind) {
    case 'recovered': {
      allowOnly(fields, ['kind', 'build', 'path', 'digest'])
      const { fingerprint = '', occurrence } = parseDigest(toText(fields, 'digest')) ?? {}
      if (occurrence === undefined) throw new InvalidReport('"digest" must be a complete digest')
      return { kind: 'recovered', build, path, digest: formatDigest(fingerprint, occurrence) }
    }
    case 'failure': {
      allowOnly(fields, ['kind', 'build', 'path', 'isRecovered', 'error', 'componentStack'])
      const { isRecovered } = fields
      if (typeof isRecovered !== 'boolean') throw new InvalidReport('"isRecovered" must be true or false')
      const report = { kind: 'failure' as const, build, path, isRecovered, error: toTree(fields.error) }
      return fields.componentStack === undefined
        ? report
        : { ...report, componentStack: toText(fields, 'componentStack') }
    }
    default:
      throw new InvalidReport('"kind" must be "failure" or "recovered"')
  }
}

/** Reads an error with its causes and the errors of an AggregateError. */
function toTree(value: unknown): ReportedError {
  let left = MAX_REPORTED_INNER

  function toError(value: unknown, depth: number, name: string, length: StackLength = 'stack'): ReportedError {
    if (depth > MAX_REPORTED_CAUSES)
      throw new InvalidReport(`"${name}" must not be nested deeper than ${MAX_REPORTED_CAUSES} levels`)
    if (depth > 0 && left-- === 0)
      throw new InvalidReport(`an error must not have more than ${MAX_REPORTED_INNER} others`)
    const fields = toFields(value, `"${name}"`)
    allowOnly(fields, ['type', 'message', 'stack', 'cause', 'errors'])
    const { cause, errors } = fields
    return {
      type: toText(fields, 'type'),
      message: toText(fields, 'message'),
      stack: toText(fields, 'stack', length),
      ...(cause === undefined ? {} : { cause: toError(cause, depth + 1, 'cause', length) }),
      ...(errors === undefined
        ? {}
        : { errors: toList(errors).map((one) => toError(one, depth + 1, 'errors', 'innerStack')) }),
    }
  }

  return toError(value, 0, 'error')
}

function toList(value: unknown): unknown[] {
  if (!Array.isArray(value) || value.length > MAX_REPORTED_ERRORS)
    throw new InvalidReport(`"errors" must be a list of at most ${MAX_REPORTED_ERRORS} errors`)
  return value
}

function toFields(value: unknown, name: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidReport(`${name} must be an object`)
  return { ...value }
}

function allowOnly(fields: Fields, names: readonly string[]) {
  const unknown = Object.keys(fields).find((name) => !names.includes(name))
  if (unknown !== undefined) throw new InvalidReport(`unknown field ${JSON.stringify(unknown.slice(0, 50))}`)
}

function toText(fields: Fields, name: keyof typeof REPORT_LENGTHS, limit: keyof typeof REPORT_LENGTHS = name): string {
  const value = fields[name]
  if (typeof value !== 'string') throw new InvalidReport(`"${name}" must be a string`)
  const length = REPORT_LENGTHS[limit]
  if (value.length > length) throw new InvalidReport(`"${name}" must have at most ${length} characters`)
  if (!WITH_LINES.includes(name)) return removeControlCharacters(value)
  const text = value.split(/\r?\n/).map(removeControlCharacters).join('\n')
  return name === 'message' ? withoutFrames(text) : withoutQueries(text)
}

/** Joins lines that look like frames to the line before, as logs have the stack after it. Takes linear time. */
export function withoutFrames(message: string): string {
  return message.replace(/(?<!\s)\s+(?=at )/g, (spaces) => spaces.replaceAll('\n', ' '))
}

/** Fields that may contain line breaks, such as React's hydration differences. Logs escape or indent them. */
const WITH_LINES: readonly string[] = ['message', 'stack', 'componentStack']
