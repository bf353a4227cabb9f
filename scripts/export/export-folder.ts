import { mkdir, readdir, realpath } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { BUILD_FOLDER } from '../../src/server/build-output/manifest.ts'
import { createHydrantError } from '../../src/server/errors/hydrant-error.ts'
import { hasCode } from '../../src/server/util/unknown-values.ts'
import { createOutputFolder, type OutputFolder } from '../build/output/output-folder.ts'

/** A file that identifies the folder of an export, so that the next one may replace it. */
export const MARKER = '.hydrant-export'

/** Folders of a site that a command reads or replaces. */
const OWN_FOLDERS = ['pages', 'public', BUILD_FOLDER]

/**
 * Returns the absolute path of the folder to write. Throws HYD_EXPORT_FOLDER for a folder with files that no export
 * has written, and for one inside the site's own folders.
 */
export async function checkExportFolder(dir: string, out: string | undefined): Promise<string> {
  const siteDir = await realpath(dir)
  const target = out === undefined ? join(siteDir, 'export') : resolve(out)
  const [first = ''] = relative(siteDir, target).split(sep)
  if (OWN_FOLDERS.includes(first)) throw createHydrantError('HYD_EXPORT_FOLDER', [target, `it is inside ${first}/`])
  const names = await readNames(target)
  if (names.length > 0 && !names.includes(MARKER))
    throw createHydrantError('HYD_EXPORT_FOLDER', [target, 'it contains files that no export has written'])
  return target
}

async function readNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    if (hasCode(error, 'ENOTDIR')) throw createHydrantError('HYD_EXPORT_FOLDER', [folder, 'it is a file'])
    throw error
  }
}

/** Creates an empty folder next to the target, which replaces it with `commit`. */
export async function createExportFolder(target: string): Promise<OutputFolder> {
  const parent = dirname(target)
  await mkdir(parent, { recursive: true })
  const name = basename(target)
  // No other program may use this name: folders with this name are removed when their process has ended.
  return await createOutputFolder(parent, name, `.${name}.hydrant-export`)
}

/** Characters that a file name cannot have on one of the systems that a site may be exported on. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const FORBIDDEN = /[\u0000-\u001f\\/:*?"<>|]/
const BAD_NAME =
  'a file name cannot be empty, "." or "..", nor contain a control character or one of the characters \\ / : * ? " < > |'

/**
 * Returns the name of the file with the document of a page: `docs/intro.html`, or `docs/intro/index.html`, for which
 * most hosts redirect to `/docs/intro/`. Throws HYD_EXPORT_FILE for a path that cannot be a file name.
 *
 * @param path The path of the page, relative to the base.
 */
export function documentFile(path: string, inFolders: boolean): string {
  const name = decodePath(path)
  if (name === '') return 'index.html'
  return inFolders ? `${name}/index.html` : `${name}.html`
}

/** Returns the file name of a path that may be percent-encoded, without a slash at its start. Throws HYD_EXPORT_FILE. */
export function decodePath(path: string): string {
  const segments = path.slice(1).split('/').map(decodeURIComponent)
  const isBad = (segment: string) => segment === '' || segment === '.' || segment === '..' || FORBIDDEN.test(segment)
  if (path !== '/' && segments.some(isBad)) throw createHydrantError('HYD_EXPORT_FILE', [path, BAD_NAME])
  return segments.join('/')
}

/** Collects the files of an export. Two files with one name, also on a system that ignores case, are an error. */
export function createFileList() {
  const sources = new Map<string, string>()
  return {
    /** Throws HYD_EXPORT_FILE. */
    add(name: string, source: string) {
      const key = name.toLowerCase().normalize('NFC')
      const other = sources.get(key)
      if (other !== undefined)
        throw createHydrantError('HYD_EXPORT_FILE', [name, `${other} and ${source} would have this name`])
      sources.set(key, source)
    },
    has: (name: string) => sources.has(name.toLowerCase().normalize('NFC')),
    get size() {
      return sources.size
    },
  }
}
