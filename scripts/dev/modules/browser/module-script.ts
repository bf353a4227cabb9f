import type { ImportedModule } from '../site-graph.ts'
import type { BrowserModule } from './browser-module.ts'
import { type ImportTarget, rewriteImports } from './rewrite-imports.ts'
import { isStylesheet } from './stylesheets.ts'

/** Returns a module as a script. `targetOf` returns what an import of a specifier becomes; null keeps the import. */
export function writeModuleScript(
  id: string,
  { code, program }: BrowserModule,
  targetOf: (specifier: string) => ImportTarget | null,
): string {
  const start = `const { $RefreshReg$, $RefreshSig$ } = __hydrant_dev__.module(${JSON.stringify(id)});`
  return start + rewriteImports(code, program, targetOf)
}

/**
 * Returns what an import becomes: the URL of another script, or an expression for a package. Returns null for a path
 * that leads to no module.
 *
 * @param imported The module that the specifier leads to; null for an unknown specifier.
 */
export function findTarget(
  specifier: string,
  imported: ImportedModule | null,
  urlOf: (id: string) => string,
): ImportTarget | null {
  if (imported === null) return /^[./]/.test(specifier) ? null : toPackage(specifier)
  if ('package' in imported) return toPackage(imported.package)
  // The document has the stylesheets.
  return isStylesheet(imported.id) ? { namespace: '0' } : { url: urlOf(imported.id) }
}

function toPackage(specifier: string): ImportTarget {
  return { namespace: `__hydrant_dev__.package(${JSON.stringify(specifier)})` }
}

/**
 * Returns the script that a document names for a page, a layout or an error page.
 *
 * @param position Identifies the last change that was sent to open pages.
 */
export function writeRootScript(url: string, position: string): string {
  return `__hydrant_dev__.since(${JSON.stringify(position)})\nexport { default } from ${JSON.stringify(url)}\n`
}

/** Adds a source map to a script. */
export function withMap(script: string, map: string): string {
  return `${script}\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}\n`
}
