import { readFile } from 'node:fs/promises'
import type { Plugin } from 'esbuild'

/** Makes esbuild read the imports and exports that are written in MDX files, without compiling the files. */
export const readMdxExports: Plugin = {
  name: 'hydrant-mdx-exports',
  setup(build) {
    build.onLoad({ filter: /\.mdx$/ }, async ({ path }) => ({
      contents: scriptOfMdx(await readFile(path, 'utf8')),
      loader: 'jsx',
    }))
  },
}

/**
 * Returns the imports and exports of an MDX source as a script. All other lines are empty, so every place in the
 * script is the same in the source.
 *
 * A block of imports and exports follows an empty line, or the frontmatter. The block ends before an empty line. If
 * the line after the empty line is indented or begins with a closing bracket, it still belongs to the last statement.
 */
export function scriptOfMdx(source: string): string {
  let isInScript = false
  let isAfterGap = true
  let mark = ''
  return source
    .split('\n')
    .map((line, index) => {
      const isEmpty = line.trim() === ''
      if (mark !== '') {
        if (line.trim().startsWith(mark)) mark = ''
        isAfterGap = true
        return ''
      }
      if (isAfterGap && !isEmpty)
        isInScript = /^(?:import|export)\s/.test(line) || (isInScript && /^[\s)\]}]/.test(line))
      if (!isInScript) mark = openedBy(line, index)
      isAfterGap = isEmpty
      return isInScript ? line : ''
    })
    .join('\n')
}

/** Returns the beginning of the line that ends the frontmatter or the code that this line opens; empty otherwise. */
function openedBy(line: string, index: number): string {
  if (index === 0 && /^---\s*$/.test(line)) return '---'
  return /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? ''
}
