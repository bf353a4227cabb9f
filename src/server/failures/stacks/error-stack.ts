import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PACKAGE_FOLDER } from '../../util/package-folder.ts'
import { remember } from '../../util/remember.ts'

/**
 * Reads the stack of an error, without the frames of React, Fastify and Hydrant that called the site's functions.
 *
 * perf: V8 writes each frame when the stack is first read, 110 µs instead of 119 µs for a page whose load fails and
 * 159 µs instead of 178 µs for one whose component fails, decision 023
 */
export function readStack(error: { stack?: unknown }): unknown {
  // A format of another library may return anything. Node's own source maps use the same hook.
  const format: unknown = Error.prepareStackTrace
  if (!isNodeFormat(format) || process.sourceMapsEnabled) return error.stack
  try {
    Error.prepareStackTrace = writeStack
  } catch {
    // `Error` is frozen.
    return error.stack
  }
  try {
    return error.stack
  } finally {
    Error.prepareStackTrace = format as typeof Error.prepareStackTrace
  }
}

const OWN_FOLDER = join(PACKAGE_FOLDER, 'dist', 'src')
const OWN_URL = pathToFileURL(OWN_FOLDER).href
const OWN = /(?:^|[\\/])node_modules[\\/]hydrant[\\/]/
const CALLER = /(?:^|[\\/])node_modules[\\/](?:react|react-dom|scheduler|fastify)[\\/]/
const PACKAGE = /^node:|[\\/]node_modules[\\/]/

/** Returns true for a path or file URL of React, Fastify or Hydrant, which call the functions of the site. */
export function isCaller(file: string): boolean {
  return isOwn(file) || CALLER.test(file)
}

/** Returns true for a path or file URL of Hydrant. */
export function isOwn(file: string): boolean {
  return file.startsWith(OWN_FOLDER) || file.startsWith(OWN_URL) || OWN.test(file)
}

// Writes a stack in the format of V8 and Node.js.
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
    // The name or the message cannot be read.
    return 'Error'
  }
}

type Kind = 'caller' | 'site' | 'other'
const MAX_KINDS = 1_000
const kinds = new Map<string, Kind>()

function kindOf(file: string): Kind {
  // Code that is evaluated may have any name.
  return kinds.get(file) ?? remember(kinds, MAX_KINDS, file, findKind(file))
}

function findKind(file: string): Kind {
  if (isCaller(file)) return 'caller'
  return file === '' || PACKAGE.test(file) ? 'other' : 'site'
}

const EXAMPLE = new Error('example')
let checked: { format: unknown; isNode: boolean } = { format: undefined, isNode: true }

/** Returns true when `Error.prepareStackTrace` is unset or Node's own: some versions of Node.js set it, some do not. */
function isNodeFormat(format: unknown): boolean {
  if (checked.format !== format) checked = { format, isNode: format === undefined || writesNodeFormat(format) }
  return checked.isNode
}

function writesNodeFormat(format: unknown): boolean {
  try {
    return typeof format === 'function' && format(EXAMPLE, ['place']) === `${EXAMPLE}\n    at place`
  } catch {
    return false
  }
}
