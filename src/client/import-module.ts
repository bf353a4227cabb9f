/** Imports a script by its URL. The build replaces this file, see scripts/build/esbuild/hydrant-modules.ts. */
export function importModule(url: string): Promise<unknown> {
  return import(url)
}
