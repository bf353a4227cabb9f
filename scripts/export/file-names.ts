import { createHydrantError } from '../../src/server/errors/hydrant-error.ts'

/** Characters that a file name cannot have on one of the systems that a site may be exported on. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const FORBIDDEN = /[\u0000-\u001f\\/:*?"<>|]/
const BAD_NAME =
  'a file name cannot be empty, "." or "..", nor contain a control character or one of the characters \\ / : * ? " < > |'

/**
 * Returns the name of the file with the document of a page: `docs/intro.html`, or `docs/intro/index.html`. Throws
 * HYD_EXPORT_FILE for a path that cannot be a file name.
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
