import type { Message } from 'esbuild'
import type { ErrorCode } from '../../../src/server/errors/error-table.ts'
import { type BuildProblem, createProblem, type SourceLocation } from '../../build-problem.ts'
import { isBrowserGuardDetail } from '../esbuild/browser-guard.ts'
import { VIRTUAL } from '../esbuild/virtual-modules.ts'

/** What one of our plugins attaches to a message that is one of our own errors. */
export interface ProblemDetail {
  code: ErrorCode
  values: string[]
}

/** Says in the project's own words what esbuild found. */
export function translateMessage(message: Message): BuildProblem {
  const place = readPlace(message)
  const { text, detail, pluginName } = message
  if (isProblemDetail(detail)) return createProblem(detail.code, detail.values, place)
  const unresolved = /^Could not resolve "(.*)"$/.exec(text)
  if (unresolved) return createProblem('HYD_BUILD_UNRESOLVED', [unresolved[1] ?? ''], place)
  const name = /^No matching export in "(.*)" for import "(.*)"$/.exec(text)
  if (name) return createProblem('HYD_BUILD_IMPORT_NAME', [withoutNamespace(name[1] ?? ''), name[2] ?? ''], place)
  const loader = /^No loader is configured for "(.*)" files/.exec(text)
  if (loader) return createProblem('HYD_BUILD_LOADER', [loader[1] ?? ''], place)
  if (pluginName !== '' && !pluginName.startsWith('hydrant-')) {
    // Where it threw is often in a package; the import that it was asked about is the site's own.
    const trigger = message.notes.find((note) => note.text.includes('was triggered by this import'))
    return createProblem('HYD_BUILD_PLUGIN', [pluginName, text], (trigger && readPlace(trigger)) ?? place)
  }
  return createProblem('HYD_BUILD_SYNTAX', [text], place)
}

export function isAboutVirtualModule({ location }: Message): boolean {
  return location?.file.startsWith(`${VIRTUAL}:`) === true
}

export function isAboutBrowserGuard({ detail }: Message): boolean {
  return isBrowserGuardDetail(detail)
}

export function readPlace({ location }: Pick<Message, 'location'>): SourceLocation | null {
  if (!location) return null
  const { file, line, column, lineText } = location
  return { file: withoutNamespace(file), line, column: toCharacters(lineText, column) + 1, lineText }
}

// esbuild counts columns in bytes of UTF-8.
function toCharacters(lineText: string, bytes: number): number {
  return Buffer.from(lineText).subarray(0, bytes).toString().length
}

/** A path in the site, of a module that one of our plugins stands in for. */
export function withoutNamespace(file: string): string {
  return file.replace(/^hydrant-[\w-]+:/, '')
}

function isProblemDetail(detail: unknown): detail is ProblemDetail {
  return typeof detail === 'object' && detail !== null && 'code' in detail && 'values' in detail
}
