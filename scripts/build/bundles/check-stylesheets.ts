import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'
import { type BuildProblem, createProblem, placeAt } from '../../build-problem.ts'
import { FILES_AT_A_TIME, mapWithLimit } from '../../map-with-limit.ts'
import { CSS_NAMESPACES, isStylesheet } from '../esbuild/css-namespaces.ts'
import { isInstalled } from '../esbuild/source-file.ts'

/** The namespace of the rules of a stylesheet that is compiled. */
const RULES = new RegExp(`^${CSS_NAMESPACES.rules}:`)

/**
 * Finds imports of names from a stylesheet that is no CSS module. It exports nothing, so the classes would be undefined.
 *
 * @param metafile That of the modules for the browser.
 */
export async function checkStylesheets(siteDir: string, { inputs }: Metafile): Promise<BuildProblem[]> {
  const imports = Object.entries(inputs).flatMap(([file, input]) =>
    isInstalled(file)
      ? []
      : input.imports.flatMap(({ path, kind, original }) =>
          kind === 'import-statement' && isStylesheet(path) && original !== undefined
            ? [{ file, stylesheet: path.replace(RULES, ''), specifier: original }]
            : [],
        ),
  )
  const found = await mapWithLimit(imports, FILES_AT_A_TIME, async ({ file, stylesheet, specifier }) => {
    const source = await readFile(join(siteDir, file), 'utf8').catch(() => '')
    const escaped = specifier.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    const match = new RegExp(`^[ \\t]*import\\s+(?=[\\w$*{])[^'";]*?from\\s*(['"])${escaped}\\1`, 'm').exec(source)
    if (!match) return null
    const extension = stylesheet.slice(stylesheet.lastIndexOf('.'))
    const location = placeAt(file, source, match.index + match[0].indexOf('import'))
    return createProblem('HYD_BUILD_STYLESHEET_NAMES', [stylesheet, extension], location)
  })
  return found.filter((problem) => problem !== null)
}
