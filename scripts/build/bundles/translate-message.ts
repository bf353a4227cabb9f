import type { Message } from 'esbuild'
import type { ErrorCode } from '../../../src/server/errors/error-table.ts'
import { type BuildProblem, createProblem, fileAt, type SourceLocation } from '../../build-problem.ts'
import { foreignPackageFix } from '../discover/other-frameworks.ts'
import { isBrowserGuardDetail } from '../esbuild/browser-guard.ts'
import { HYDRANT_FILES, REACT_EXPORTS } from '../esbuild/hydrant-files.ts'
import { CSS_NAMESPACES } from '../esbuild/stylesheet-reader.ts'
import { VIRTUAL } from '../esbuild/virtual-modules.ts'
import { createClassProblem } from './check-class-names.ts'
import { createNameProblem } from './check-imports.ts'

/** The detail that a plugin of Hydrant attaches to a message for an error of Hydrant's table. */
interface ProblemDetail {
  code: ErrorCode
  values: string[]
}

const UNRESOLVED = /^Could not resolve "(.*?)"(?: \(originally "(.*)"\))?$/
const NO_LOADER = /^No loader is configured for "(.*)" files: (.*)$/

/** Translates a message of esbuild into an error of Hydrant's table. */
export function translateMessage(message: Message): BuildProblem {
  const location = readLocation(message)
  const { text, detail, pluginName } = message
  if (isProblemDetail(detail)) return createProblem(detail.code, detail.values, location)
  const [, unresolved, aliased] = UNRESOLVED.exec(text) ?? []
  if (unresolved !== undefined) {
    const hint = aliased === undefined ? '' : `, to which "esbuild.alias" of the configuration leads from "${aliased}"`
    const problem = createProblem('HYD_BUILD_UNRESOLVED', [unresolved, hint], location)
    return { ...problem, missing: unresolved, fix: foreignPackageFix(unresolved) ?? problem.fix }
  }
  const missing = readMissingName(message)
  if (missing) return translateName(missing, location)
  const [, unknownClass, stylesheet = ''] = UNDEFINED_CLASS.exec(text) ?? []
  if (unknownClass !== undefined)
    return createClassProblem(stylesheet, unknownClass, readMeant(message.notes), location)
  const [, extension, file = ''] = NO_LOADER.exec(text) ?? []
  // A module of the build imports a page, so its location says nothing.
  if (extension === '.mdx') return createProblem('HYD_BUILD_MDX', [file], fileAt(file))
  if (extension !== undefined) return createProblem('HYD_BUILD_LOADER', [extension], location)
  if (isOfSitePlugin(message) && !isInSource(message)) {
    // The plugin often threw in a package; the import that triggered it is in the site.
    return createProblem('HYD_BUILD_PLUGIN', [pluginName, text], placeOfTrigger(message) ?? location)
  }
  return createProblem('HYD_BUILD_SYNTAX', [text], location)
}

const REACT_MODULE = 'hydrant/react'
/** A module of Hydrant that a bundle has in its place. */
const OWN_REACT = new RegExp(`^hydrant-react:|(?:^|/)dist/src/${HYDRANT_FILES.react.replace('.', '\\.')}$`)

/** An import of a name that a module of the site does not export. */
interface MissingName {
  /** The path of the module in the site, or `hydrant/react`. */
  module: string
  name: string
  /** The similar names that the module exports. */
  meant: string[]
}

/** Reads the message about a name that a module does not export; null for other messages. */
export function readMissingName({ text, notes }: Message): MissingName | null {
  const [, module, name] = /^No matching export in "(.*)" for import "(.*)"$/.exec(text) ?? []
  if (module === undefined || name === undefined) return null
  return { module: OWN_REACT.test(module) ? REACT_MODULE : withoutNamespace(module), name, meant: readMeant(notes) }
}

function readMeant(notes: Message['notes']): string[] {
  return notes.flatMap((note) => /^Did you mean to import "(.*)" instead/.exec(note.text)?.[1] ?? [])
}

/** The warning about `classes.crad` after `import * as classes from './card.module.css'`. */
const UNDEFINED_CLASS = new RegExp(
  `^Import "(.*)" will always be undefined because there is no matching export in "${CSS_NAMESPACES.classes}:(.*)"$`,
)

function translateName({ module, name, meant }: MissingName, location: SourceLocation | null): BuildProblem {
  return createNameProblem(module, name, module === REACT_MODULE ? REACT_EXPORTS : meant, location)
}

/** Returns whether a message is about the source of the site: a compiler has found an error there. */
function isInSource({ location }: Message): boolean {
  return location !== null && location.line > 0 && !/^\.|(?:^|\/)node_modules\//.test(location.file)
}

/** Returns the place of the import that made a plugin load a file; null if the message is not about such a plugin. */
export function placeOfTrigger({ notes }: Message): SourceLocation | null {
  const trigger = notes.find((note) => note.text.includes('was triggered by this import'))
  return trigger ? placeOfImport(trigger) : null
}

/** Returns the place of an import. A module of the build imports the files of the site, without a place. */
function placeOfImport(note: Message['notes'][number]): SourceLocation | null {
  const [, file] = /^"\.\/(.*?)"/.exec(note.location?.lineText.slice(note.location.column) ?? '') ?? []
  const isOfBuild = note.location?.file.startsWith(`${VIRTUAL}:`) && file !== undefined
  return isOfBuild ? fileAt(file) : readLocation(note)
}

const OTHER_CASE = /^Use "(.*)" instead of "(.*)" to avoid issues with case-sensitive file systems$/

/** Translates a warning of esbuild. The modules of the build import the files of the site. */
export function translateWarning(message: Message): BuildProblem {
  const [, meant, file] = (isAboutVirtualModule(message) && OTHER_CASE.exec(message.text)) || []
  if (meant === undefined || file === undefined) return translateMessage(message)
  return createProblem(
    'HYD_BUILD_FILE_NAME',
    [file, 'beside a file whose name differs only in case', meant],
    fileAt(file),
  )
}

export function isOfSitePlugin({ pluginName }: Message): boolean {
  return pluginName !== '' && !pluginName.startsWith('hydrant-')
}

export function isAboutVirtualModule({ location }: Message): boolean {
  return location?.file.startsWith(`${VIRTUAL}:`) === true
}

export function isAboutLoader({ text }: Message): boolean {
  return NO_LOADER.test(text)
}

export function isAboutBrowserGuard({ detail }: Message): boolean {
  return isBrowserGuardDetail(detail)
}

export function readLocation({ location }: Pick<Message, 'location'>): SourceLocation | null {
  if (!location) return null
  const { file, line, column, lineText } = location
  // A plugin has named only the file.
  if (line === 0) return fileAt(withoutNamespace(file))
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
