// The public entry `hydrant/tailwind`, for `hydrant.config.ts`.

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { PluginBuild } from 'esbuild'
import type { ErrorCode } from '../src/server/errors/error-table.ts'
import type { EsbuildPlugin } from '../src/server/options/config.ts'
import { toSitePath } from '../src/server/util/paths.ts'
import { firstLineOf, messageOf } from '../src/server/util/unknown-values.ts'

/** The parts of the packages `@tailwindcss/node` and `@tailwindcss/oxide` that the plugin uses. */
interface Library {
  compile(css: string, options: CompileOptions): Promise<Compiler>
  optimize(css: string, options: { file: string; minify: boolean }): { code: string }
  Scanner: new (options: { sources: Source[] }) => Scanner
}

interface CompileOptions {
  base: string
  from: string
  shouldRewriteUrls: boolean
  onDependency(path: string): void
}

interface Compiler {
  /** The folder that `source(…)` of the import names; `none` for no folder; null if the import names none. */
  root: { base: string; pattern: string } | 'none' | null
  sources: Source[]
  build(candidates: string[]): string
}

interface Scanner {
  scan(): string[]
  files: string[]
  globs: { base: string }[]
}

interface Source {
  base: string
  pattern: string
  negated: boolean
}

const MISSING = 'HYD_BUILD_TAILWIND' satisfies ErrorCode

/** Matches a stylesheet that Tailwind compiles: it imports Tailwind or uses one of Tailwind's rules. */
const USES_TAILWIND =
  /@(?:import\s+(?:url\()?["']tailwindcss|tailwind|theme|utility|variant|custom-variant|apply|reference|plugin|config|source)\b/

/**
 * Returns an esbuild plugin that compiles the site's stylesheets with Tailwind CSS 4. Use the plugin in
 * `hydrant.config.ts`: `export default defineConfig({ esbuild: { plugins: [tailwind()] } })`. Install the packages in
 * the site: `npm install --save-dev tailwindcss @tailwindcss/node @tailwindcss/oxide`. Tailwind finds the class names
 * in all files of the site that `.gitignore` does not list. The plugin does not compile CSS modules, nor stylesheets
 * that do not use Tailwind.
 *
 * The build fails with HYD_BUILD_TAILWIND if one of the packages is not installed.
 */
export function tailwind(): EsbuildPlugin {
  return { name: 'hydrant-tailwind', setup }
}

function setup(build: PluginBuild) {
  const { absWorkingDir: siteDir = process.cwd(), minify = false, platform } = build.initialOptions
  // The server's bundle has no stylesheets.
  if (platform === 'node') return
  build.onLoad({ filter: /\.css$/, namespace: 'file' }, async ({ path }) => {
    const source = await readFile(path, 'utf8')
    if (!USES_TAILWIND.test(source)) return null
    const dependencies = new Set([path])
    try {
      const stylesheet = { siteDir, path, source, minify, dependencies }
      const { css, files, folders } = await compile(loadLibrary(siteDir), stylesheet)
      return { contents: css, loader: 'css', watchFiles: files, watchDirs: folders }
    } catch (error) {
      const location = { file: toSitePath(siteDir, path) }
      const detail = error instanceof MissingPackage ? { code: MISSING, values: [error.message] } : undefined
      return { errors: [{ text: messageOf(error).trim(), location, detail }], watchFiles: [...dependencies] }
    }
  })
}

interface Stylesheet {
  siteDir: string
  path: string
  source: string
  minify: boolean
  /** Receives the stylesheets and modules that this one imports. */
  dependencies: Set<string>
}

/** Compiles a stylesheet. Returns also the files and folders that it depends on. */
async function compile(library: Library, { siteDir, path, source, minify, dependencies }: Stylesheet) {
  const compiler = await library.compile(source, {
    base: dirname(path),
    from: path,
    shouldRewriteUrls: true,
    onDependency: (file) => dependencies.add(file),
  })
  const scanner = new library.Scanner({ sources: sourcesOf(compiler, siteDir) })
  const css = compiler.build(scanner.scan())
  // Minifies, and rewrites syntax that older browsers do not know.
  const rewritten = minify ? library.optimize(css, { file: path, minify }).code : css
  const folders = new Set([...scanner.globs.map(({ base }) => base), ...scanner.files.map((file) => dirname(file))])
  return { css: rewritten, files: [...dependencies, ...scanner.files], folders: [...folders] }
}

function sourcesOf({ root, sources }: Compiler, siteDir: string): Source[] {
  const roots = root === 'none' ? [] : [{ ...(root ?? { base: siteDir, pattern: '**/*' }), negated: false }]
  // A build must not depend on the files that Hydrant has written before.
  const written = ['.hydrant*', 'hydrant-errors.db*'].map((pattern) => ({ base: siteDir, pattern, negated: true }))
  return [...roots, ...sources, ...written]
}

/** A package of Tailwind that cannot be loaded. */
class MissingPackage extends Error {}

/** Loads Tailwind's packages as a module of the site would. */
function loadLibrary(siteDir: string): Library {
  const require = createRequire(join(siteDir, 'package.json'))
  try {
    return { ...require('@tailwindcss/node'), ...require('@tailwindcss/oxide') }
  } catch (error) {
    // Node.js appends the list of modules that have required the package.
    throw new MissingPackage(firstLineOf(error), { cause: error })
  }
}
