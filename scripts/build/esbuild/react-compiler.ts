import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { extname, join } from 'node:path'
import { decodedMappings, encodedMappings, type SourceMapSegment, TraceMap } from '@jridgewell/trace-mapping'
import type { Plugin } from 'esbuild'
import { createHydrantError } from '../../../src/server/errors/hydrant-error.ts'
import { firstLineOf } from '../../../src/server/util/unknown-values.ts'
import { isHydrantPath } from './hydrant-files.ts'

/** The package that compiled components import. */
export const COMPILER_RUNTIME = 'react/compiler-runtime'

/** Compiles a module with React Compiler. Returns null for a module that does not compile. */
export type CompileReact = (path: string, source: string) => Promise<string | null>

/** The part of the package `oxc-transform-react` that is used. */
interface Library {
  transform(path: string, source: string, options: { jsx: 'preserve'; sourcemap: true }): Promise<Result>
}

interface Result {
  fatal: boolean
  code: string
  map?: { mappings: string; names: string[]; sources: string[]; sourcesContent?: string[] }
}

/** Loads React Compiler as a module of the site would. Throws HYD_BUILD_REACT_COMPILER if it is not installed. */
export function loadReactCompiler(siteDir: string): CompileReact {
  const { transform } = loadLibrary(siteDir)
  return async (path, source) => {
    const { fatal, code, map } = await transform(path, source, { jsx: 'preserve', sourcemap: true })
    if (fatal || !map) return null
    const text = Buffer.from(JSON.stringify(withoutTexts(map))).toString('base64')
    return `${code}\n//# sourceMappingURL=data:application/json;base64,${text}`
  }
}

function loadLibrary(siteDir: string): Library {
  const require = createRequire(join(siteDir, 'package.json'))
  try {
    return require('oxc-transform-react')
  } catch (error) {
    // Node.js appends the list of modules that have required the package.
    throw createHydrantError('HYD_BUILD_REACT_COMPILER', [firstLineOf(error)], error)
  }
}

/** Removes entries of `names` that are not names: the compiler writes the source text of an expression there. */
function withoutTexts(map: NonNullable<Result['map']>) {
  const isName = map.names.map((name) => /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name))
  const trace = new TraceMap({ ...map, version: 3 })
  const mappings = decodedMappings(trace).map((line) =>
    line.map((segment): SourceMapSegment => {
      if (segment.length !== 5 || isName[segment[4]]) return segment
      const [column, source, sourceLine, sourceColumn] = segment
      return [column, source, sourceLine, sourceColumn]
    }),
  )
  return { ...map, version: 3, mappings: encodedMappings(new TraceMap({ ...map, version: 3, mappings })) }
}

/**
 * Creates the plugin that compiles the site's modules for the browser with React Compiler. It comes after all plugins
 * that load modules or refuse them. The server renders each component once, so a cache would only be work there.
 */
export function createReactCompiler(compile: CompileReact): Plugin {
  return {
    name: 'hydrant-react-compiler',
    setup(build) {
      build.onLoad({ filter: /\.[cm]?[jt]sx?$/, namespace: 'file' }, async ({ path }) => {
        if (path.includes('/node_modules/') || isHydrantPath(path)) return null
        // esbuild reports the errors of a module that does not compile.
        const contents = await compile(path, await readFile(path, 'utf8'))
        // As in esbuild, JSX needs its own extension.
        return contents === null ? null : { contents, loader: extname(path).endsWith('x') ? 'jsx' : 'js' }
      })
    },
  }
}
