import { contentHash } from '../../../build/esbuild/content-hash.ts'

/** The names of modules and stylesheets in the assets folder. They contain only characters that URLs do not escape. */
export interface FileNames {
  /** Returns the name of a script. It is another one for each version. */
  script(id: string, version: number): string
  /** Returns the name of the script that a document names for a page, a layout or an error page. */
  root(id: string): string
  /** Returns the name of a stylesheet. It stays, so that React does not take a new version for another stylesheet. */
  style(id: string): string
  /** Returns the module that a file belongs to; null for a file of another kind. */
  find(name: string): { kind: 'script' | 'root' | 'style'; id: string; version: number } | null
}

const NAME = /^(.+-[A-Z2-7]{8})(?:\.(\d+)\.js|(\.root)\.js|\.css)$/

export function createFileNames(): FileNames {
  const stems = new Map<string, string>()
  const ids = new Map<string, string>()

  function stemOf(id: string): string {
    const known = stems.get(id)
    if (known !== undefined) return known
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

  return {
    script: (id, version) => `${stemOf(id)}.${version}.js`,
    root: (id) => `${stemOf(id)}.root.js`,
    style: (id) => `${stemOf(id)}.css`,
    find(name) {
      const [, stem = '', version, root] = NAME.exec(name) ?? []
      const id = ids.get(stem)
      if (id === undefined) return null
      return { kind: version !== undefined ? 'script' : root ? 'root' : 'style', id, version: Number(version ?? 0) }
    },
  }
}
