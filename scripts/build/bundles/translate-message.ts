import type { Message } from 'esbuild'
import type { ErrorCode } from '../../../src/server/errors/error-table.ts'
import { type BuildProblem, createProblem, type SourceLocation } from '../../build-problem.ts'
import { isBrowserGuardDetail } from '../esbuild/browser-guard.ts'
import { VIRTUAL } from '../esbuild/virtual-modules.ts'

/** The detail that a plugin of Hydrant attaches to a message for an error of Hydrant's table. */
export interface ProblemDetail {
  code: ErrorCode
  values: string[]
}

/** Translates a message of esbuild into an error of Hydrant's table. */
export function translateMessage(message: Message): BuildProblem {
  const location = readLocation(message)
  const { text, detail, pluginName } = message
  if (isProblemDetail(detail)) return createProblem(detail.code, detail.values, location)
  const unresolved = /^Could not resolve "(.*)"$/.exec(text)
  if (unresolved) return createProblem('HYD_BUILD_UNRESOLVED', [unresolved[1] ?? ''], location)
  const name = /^No matching export in "(.*)" for import "(.*)"$/.exec(text)
  if (name) return createProblem('HYD_BUILD_IMPORT_NAME', [withoutNamespace(name[1] ?? ''), name[2] ?? ''], location)
  const loader = /^No loader is configured for "(.*)" files/.exec(text)
  if (loader) return createProblem('HYD_BUILD_LOADER', [loader[1] ?? ''], location)
  if (pluginName !== '' && !pluginName.startsWith('hydrant-')) {
    // The plugin often threw in a package; the import that triggered it is in the site.
    const trigger = message.notes.find((note) => note.text.includes('was triggered by this import'))
    return createProblem('HYD_BUILD_PLUGIN', [pluginName, text], (trigger && readLocation(trigger)) ?? location)
  }
  return createProblem('HYD_BUILD_SYNTAX', [text], location)
}

export function isAboutVirtualModule({ location }: Message): boolean {
  return location?.file.startsWith(`${VIRTUAL}:`) === true
}

export function isAboutBrowserGuard({ detail }: Message): boolean {
  return isBrowserGuardDetail(detail)
}

export function readLocation({ location }: Pick<Message, 'location'>): SourceLocation | null {
  if (!location) return null
  const { file, line, column, lineText } = location
  return { file: withoutNamespace(file), line, column: toCharacters(lineText, column) + 1, lineText }
}

// esbuild counts columns in bytes of UTF-8.
function toCharacters(lineText: string, bytes: number): number {
  return Buffer.from(lineText).subarray(0, bytes).toString().length
}

/** Returns the path in the site of a module that a plugin of Hydrant provides. */
export function withoutNamespace(file: string): string {
  return file.replace(/^hydrant-[\w-]+:/, '')
}

function isProblemDetail(detail: unknown): detail is ProblemDetail {
  return typeof detail === 'object' && detail !== null && 'code' in detail && 'values' in detail
}
