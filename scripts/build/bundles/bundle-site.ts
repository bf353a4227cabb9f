import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { BUILD_PATHS } from '../../../src/server/build-output/manifest.ts'
import type { BuildProblem } from '../../build-problem.ts'
import { outputText, settle } from '../esbuild/bundler.ts'
import { createCssCompiler } from '../esbuild/css.ts'
import { findInlinedPackages, packageName } from '../esbuild/node-specifier.ts'
import { VIRTUAL } from '../esbuild/virtual-modules.ts'
import { createServerOutput, type ServerOutput } from '../output/complete-server-output.ts'
import { rejectUnmatched } from '../output/mark-thrown.ts'
import { type ClientOutput, readClientOutput } from '../output/read-client-output.ts'
import {
  type Bundle,
  type BundleInput,
  createClientBundle,
  createServerBundle,
  type ServerFindings,
} from './bundle-options.ts'
import { bundleWithPackages } from './bundle-with-packages.ts'
import { checkClassNames, checkStylesheets } from './check-class-names.ts'
import { checkDirectives, checkPackageImports } from './check-imports.ts'
import { findLazyPackages } from './lazy-packages.ts'
import { findPlaced } from './source-meta.ts'
import { translateErrors } from './translate-errors.ts'
import { translateWarning } from './translate-message.ts'

export interface SiteBundles {
  client: ClientOutput
  server: ServerOutput
  warnings: BuildProblem[]
}

/** Compiles the bundles of the browser and the server in parallel. Both get the same class names and asset URLs. */
export async function bundleSite(
  input: Omit<BundleInput, 'cssCompiler'>,
): Promise<SiteBundles | { problems: BuildProblem[] }> {
  const { siteDir, site } = input
  const cssCompiler = createCssCompiler(siteDir, input.options.stylesheets)
  const bundleClient = (packageModules: ReadonlySet<string>) =>
    compile(createClientBundle({ ...input, cssCompiler }, packageModules))
  const bundleServer = (findings: ServerFindings) => compile(createServerBundle({ ...input, cssCompiler }, findings))
  const [client, first] = await Promise.all([
    bundleWithPackages(siteDir, bundleClient, ({ outcome }) => (outcome.ok ? outcome.result : null)),
    bundleServer(NOTHING_FOUND),
  ])
  const { outcome: forClient } = client
  const inlined = forClient.ok ? findInlinedPackages(forClient.result.metafile) : []
  const second = leavesOut(first, inlined) ? await bundleServer({ ...NOTHING_FOUND, inlined }) : first
  const { outcome: forServer, assets } = await completeServer(second, inlined, bundleServer, input)
  if (!forClient.ok || !forServer.ok) {
    const messages = [forClient, forServer].flatMap((outcome) => (outcome.ok ? [] : outcome.errors))
    return { problems: await translateErrors(messages, site, client.options) }
  }
  const file = (end: string) => outputText(forServer.result.outputFiles, end)
  const imports = await checkPackageImports(siteDir, file('.mjs'), forServer.result.metafile)
  const directives = await checkDirectives(siteDir, Object.keys(forClient.result.metafile.inputs))
  const stylesheets = await checkStylesheets(siteDir, forClient.result.metafile)
  const classNames = await checkClassNames(siteDir, forClient.result.metafile, cssCompiler.classNames)
  const problems = [...imports.problems, ...directives]
  if (problems.length > 0) return { problems }
  const folder = join(siteDir, input.folder)
  return {
    client: readClientOutput(forClient.result, [...client.assets, ...assets], {
      siteDir,
      clientDir: join(folder, BUILD_PATHS.client),
    }),
    server: createServerOutput(
      rejectUnmatched({ code: file('.mjs'), map: null }).code,
      file('.mjs.map'),
      dirname(join(folder, BUILD_PATHS.server)),
    ),
    warnings: [
      ...[...forClient.warnings, ...forServer.warnings].map(translateWarning),
      ...imports.warnings,
      ...stylesheets,
      ...classNames,
    ],
  }
}

/** Returns whether a server's bundle imports a package that must be a part of it. */
function leavesOut({ outcome }: Compiled, inlined: readonly string[]): boolean {
  if (!outcome.ok || inlined.length === 0) return false
  const imports = Object.values(outcome.result.metafile.inputs).flatMap((input) => input.imports)
  return imports.some(({ path, external }) => external === true && inlined.includes(packageName(path)))
}

async function compile({ options, assets }: Bundle) {
  return { outcome: await settle(() => build(options)), options, assets }
}

type Compiled = Awaited<ReturnType<typeof compile>>

const NOTHING_FOUND: ServerFindings = { inlined: [], placed: [], lazy: new Map() }

/** Compiles a server's bundle again if its modules need more than it has. */
async function completeServer(
  compiled: Compiled,
  inlined: readonly string[],
  bundleServer: (findings: ServerFindings) => Promise<Compiled>,
  { siteDir, site }: Pick<BundleInput, 'siteDir' | 'site'>,
): Promise<Compiled> {
  if (!compiled.outcome.ok) return compiled
  const { outputFiles, metafile } = compiled.outcome.result
  const code = outputText(outputFiles, '.mjs')
  const placed = findPlaced(code, metafile.inputs)
  const lazy = findLazyPackages(metafile, code, await findFirst(siteDir, site.serverPlugin, metafile))
  return placed.length > 0 || lazy.size > 0 ? await bundleServer({ inlined, placed, lazy }) : compiled
}

const COMMENTS = /^(?:\s|\/\/.*|\/\*[\s\S]*?\*\/)*/

/** Matches an import for its effect: the first statement, or any import of a module of the site. */
const EFFECT = /^import\s*["']|\n\s*import\s*["']\.\.?\//

/**
 * Returns the path of `server.ts` in the metafile if it imports a module for its effect, such as a tracer or a set-up of the
 * environment, which packages of pages may need when they are imported; null otherwise.
 */
async function findFirst(siteDir: string, plugin: string | null, { inputs }: Metafile): Promise<string | null> {
  if (plugin === null) return null
  const source = (await readFile(join(siteDir, plugin), 'utf8')).replace(COMMENTS, '')
  if (!EFFECT.test(source)) return null
  const entry = inputs[`${VIRTUAL}:server`]?.imports.find(({ original }) => original === `./${plugin}`)
  return entry?.path ?? null
}
