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
  /** The folder with the files. */
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
