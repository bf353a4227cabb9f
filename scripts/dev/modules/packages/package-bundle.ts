import { parse } from '#cjs-module-lexer'

/** The script of a package that modules of the browser import or require. */
export interface PackageScript {
  /** The name of its file. */
  file: string
  /** Whether the package is written as CommonJS. Then the default export of the script is `module.exports`. */
  isCommonJs: boolean
  /** The names that a CommonJS package exports, for `export *`. */
  names: readonly string[]
}

/** The scripts of a site's packages, of React and of Hydrant's client. */
export interface PackageBundle {
  /** The key of the settings that it was made with. */
  settingsKey: string
  /** The name of the script that the document loads first. */
  entry: string
  /** The names of the scripts that the entry imports statically. */
  imports: string[]
  folder: string
  /** The names of the files. They change with the contents. */
  files: string[]
  /**
   * The scripts by the specifiers of the packages. See `SiteGraph.packages`: a script with `require:` before the
   * specifier exports a function that returns what `require` returns.
   */
  scripts: Record<string, PackageScript>
  /** Names of packages that must be a part of the site instead: see `findInlinedPackages`. */
  inlined: string[]
}

export interface CommonJsModules {
  /** Returns the source of a module. */
  read(id: string): Promise<string>
  /** Returns the module that a module requires with a specifier; null if it is none of these modules. */
  find(id: string, specifier: string): string | null
}

/** Lists the names that a CommonJS module exports. As in Node.js, names that its code only computes are missing. */
export async function listCommonJsNames(id: string, { read, find }: CommonJsModules): Promise<string[]> {
  const names = new Set<string>()
  const ids = new Set([id])
  for (const one of ids) {
    const { exports, reexports } = parseNames(await read(one))
    for (const name of exports) names.add(name)
    for (const specifier of reexports) {
      const target = find(one, specifier)
      if (target !== null) ids.add(target)
    }
  }
  return [...names].filter((name) => name !== 'default' && name !== '__esModule')
}

function parseNames(source: string): ReturnType<typeof parse> {
  try {
    return parse(source)
  } catch {
    // JSON, or a module that has been compiled to another form.
    return { exports: [], reexports: [] }
  }
}
