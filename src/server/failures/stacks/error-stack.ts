import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Reads an error's stack, as far as it tells of the site: behind its functions those who have called them are left out,
 * React, Fastify and Hydrant. V8 writes each frame when the stack is first read, and those would be most of it.
 */
export function readStack(error: { stack?: unknown }): unknown {
  // Somebody else's format may hold anything; Node's own source maps come in the same place.
  const format: unknown = Error.prepareStackTrace
  if (!isUsual(format) || process.sourceMapsEnabled) return error.stack
  try {
    Error.prepareStackTrace = writeStack
  } catch {
    // Where everything that is built in is frozen.
    return error.stack
  }
  try {
    return error.stack
  } finally {
    Error.prepareStackTrace = format as typeof Error.prepareStackTrace
  }
}

const OWN_FOLDER = dirname(dirname(dirname(import.meta.dirname)))
const OWN_URL = pathToFileURL(OWN_FOLDER).href
const CALLER = /(?:^|[\\/])node_modules[\\/](?:react|react-dom|fastify|hydrant)[\\/]/
const PACKAGE = /^node:|[\\/]node_modules[\\/]/

/** Is it a file, or the URL of one, of those that call everything there is, always in the same way? */
export function isCaller(file: string): boolean {
  return file.startsWith(OWN_FOLDER) || file.startsWith(OWN_URL) || CALLER.test(file)
}

// As V8 and Node write it.
function writeStack(error: Error, frames: readonly NodeJS.CallSite[]): string {
  let text = headOf(error)
  let isWithinSite = false
  for (const frame of frames) {
    const kind = kindOf(frame.getFileName() ?? '')
    if (kind === 'caller' && isWithinSite) break
    isWithinSite ||= kind === 'site'
    text += `\n    at ${frame}`
  }
  return text
}

function headOf(error: Error): string {
  try {
    return Error.prototype.toString.call(error)
  } catch {
    // Its name or its message cannot be read; its frames can.
    return 'Error'
  }
}

type Kind = 'caller' | 'site' | 'other'
const MAX_KINDS = 1_000
const kinds = new Map<string, Kind>()

function kindOf(file: string): Kind {
  const before = kinds.get(file)
  if (before) return before
  const kind = isCaller(file) ? 'caller' : file === '' || PACKAGE.test(file) ? 'other' : 'site'
  // Code that is evaluated may have any name.
  if (kinds.size >= MAX_KINDS) kinds.clear()
  kinds.set(file, kind)
  return kind
}

const EXAMPLE = new Error('example')
let known: { format: unknown; isUsual: boolean } = { format: undefined, isUsual: true }

/** Does nobody but Node say how a stack is written? Some versions have a function of their own there, some none. */
function isUsual(format: unknown): boolean {
  if (known.format !== format) known = { format, isUsual: format === undefined || writesAsUsual(format) }
  return known.isUsual
}

function writesAsUsual(format: unknown): boolean {
  try {
    return typeof format === 'function' && format(EXAMPLE, ['place']) === `${EXAMPLE}\n    at place`
  } catch {
    return false
  }
}
