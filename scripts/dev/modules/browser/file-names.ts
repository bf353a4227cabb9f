import { contentHash } from '../../../build/esbuild/content-hash.ts'

/** The names of modules and stylesheets in the assets folder. They contain only characters that URLs do not escape. */
export interface FileNames {
  /** Returns the name of the current script of a module. */
  script(id: string): string
  /** Gives the script of a module another name, so that browsers import it again. */
  renew(id: string): void
  /** Returns the name that the script of a module had before the last but one change; null if it had none. */
  outdated(id: string): string | null
  /** Returns the name of the script that a document names for a page, a layout or an error page. */
  root(id: string): string
  /** Returns the name of a stylesheet in updates, without a page or layout. */
  style(id: string): string
  /**
   * Returns the name of a stylesheet for a page, a layout or an error page. Each has its own, as each has its own bundle in
   * production: the order of a page's stylesheets does not depend on the pages that were shown before. It stays, so that
   * React does not take a new version for another stylesheet.
   */
  styleOf(id: string, root: string): string
  /** Returns the module that a file belongs to; null for a file of another kind. */
  find(name: string): { kind: 'script' | 'root' | 'style'; id: string } | null
}

const NAME = /^(.+-[A-Z2-7]{8})(?:\.(\d+)\.js|(\.root)\.js|_[A-Z2-7]{8}\.css)$/

export function createFileNames(): FileNames {
  const stems = new Map<string, string>()
  const ids = new Map<string, string>()
  const versions = new Map<string, number>()

  function stemOf(id: string): string {
    const existing = stems.get(id)
    if (existing !== undefined) return existing
    const words = id
      .replace(/^pages\//, '')
      .replace(/\.\w+$/, '')
      .replace(/[^\w]+/g, '-')
      .replace(/^-+|-+$/g, '')
    const stem = `${words.slice(-60) || 'module'}-${contentHash(id)}`
    stems.set(id, stem)
    ids.set(stem, id)
    return stem
  }

  const versionOf = (id: string) => versions.get(id) ?? 1

  return {
    script: (id) => `${stemOf(id)}.${versionOf(id)}.js`,
    renew: (id) => void versions.set(id, versionOf(id) + 1),
    outdated: (id) => (versionOf(id) > 2 ? `${stemOf(id)}.${versionOf(id) - 2}.js` : null),
    root: (id) => `${stemOf(id)}.root.js`,
    style: (id) => `${stemOf(id)}.css`,
    styleOf: (id, root) => `${stemOf(id)}_${contentHash(root)}.css`,
    find(name) {
      const [, stem = '', version, root] = NAME.exec(name) ?? []
      const id = ids.get(stem)
      if (id === undefined) return null
      return { kind: version !== undefined ? 'script' : root ? 'root' : 'style', id }
    },
  }
}
