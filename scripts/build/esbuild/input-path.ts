/**
 * Returns the path of an input of a metafile. esbuild adds the attributes of an import, as `with { type: 'json' }`, if the
 * same file is also imported without them.
 */
export function inputPath(input: string): string {
  return input.replace(/ with \{[^}]*\}$/, '')
}
