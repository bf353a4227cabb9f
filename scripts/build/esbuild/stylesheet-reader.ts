import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PartialMessage } from 'esbuild'
import { messageOf } from '../../../src/server/util/unknown-values.ts'
import { lineAt } from '../../build-problem.ts'
import type { StylesheetOptions } from '../../styles.ts'
import { VIRTUAL_ID } from './bundler.ts'

/** Reads stylesheets as CSS. Plugins of `hydrant/styles` compile some of them. Paths are absolute. */
export type StylesheetReader = ReturnType<typeof createStylesheetReader>

export function createStylesheetReader(plugins: readonly StylesheetOptions[]) {
  const dependencies = new Map<string, readonly string[]>()
  const compilerOf = (path: string) =>
    plugins.find(({ extensions }) => extensions.some((extension) => path.endsWith(extension)))
  const added = plugins.flatMap(({ extensions }) => extensions.map((extension) => extension.slice(1)))

  return {
    /** The extensions of all stylesheets, without dots. */
    extensions: [...new Set(['css', ...added])] as readonly string[],
    /** Returns whether a plugin compiles a file. */
    compiles: (path: string) => compilerOf(path) !== undefined,
    async read(path: string): Promise<{ css: string } | { errors: PartialMessage[] }> {
      const source = await readFile(path, 'utf8')
      const compiler = compilerOf(path)
      if (!compiler) return { css: source }
      try {
        const compiled = await compiler.compile({ path, source })
        dependencies.set(
          path,
          (compiled.dependencies ?? []).map((file) => resolve(file)),
        )
        return { css: compiled.css }
      } catch (error) {
        return { errors: [await describeError(error, path)] }
      }
    },
    /** Returns the stylesheets that were compiled with the help of a file. */
    dependentsOf: (path: string): string[] =>
      [...dependencies].flatMap(([file, used]) => (used.includes(path) ? [file] : [])),
  }
}

/** The places that compilers put into their errors. Lines and columns count from 1, only Sass counts them from 0. */
interface CompilerError {
  reason?: string
  sassMessage?: string
  file?: string
  fileName?: string
  line?: number
  column?: number
  loc?: { line: number; column: number }
  span?: { url?: URL; start: { line: number; column: number } }
}

async function describeError(error: unknown, path: string): Promise<PartialMessage> {
  const { reason, sassMessage, file, fileName, line, column, loc, span }: CompilerError = Object(error)
  const place = span ? { line: span.start.line + 1, column: span.start.column + 1 } : (loc ?? { line, column })
  const named = span?.url ? fileURLToPath(span.url) : resolve(file ?? fileName ?? path)
  const source = await readFile(named, 'utf8').catch(() => '')
  return {
    text: sassMessage ?? reason ?? messageOf(error),
    location: {
      file: named,
      namespace: 'file',
      line: place.line ?? 0,
      column: Math.max(0, (place.column ?? 1) - 1),
      lineText: lineAt(source, place.line ?? 0) ?? '',
    },
  }
}

/** The namespaces of the modules that stylesheets become: the names of their classes, and their rules. */
export const CSS_NAMESPACES = { classes: 'hydrant-css-module', rules: 'hydrant-css' } as const

/** Returns whether a module, by its id, is a stylesheet. */
export function isStylesheet(id: string): boolean {
  return id.startsWith(`${CSS_NAMESPACES.rules}:`) || (!VIRTUAL_ID.test(id) && id.endsWith('.css'))
}
