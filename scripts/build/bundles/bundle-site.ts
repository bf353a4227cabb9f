import { dirname, join } from 'node:path'
import type { Mode } from '../../../src/server/build-output/manifest.ts'
import { BUILD_PATHS } from '../../../src/server/build-output/manifest.ts'
import type { BuildProblem } from '../../build-problem.ts'
import type { DiscoveredSite } from '../discover/discover-site.ts'
import { createCssModuleCompiler } from '../esbuild/css-module.ts'
import { type BundleOutcome, type Bundler, createBundler } from '../esbuild/incremental-build.ts'
import { createServerOutput, type ServerOutput } from '../output/complete-server-output.ts'
import { type ClientOutput, readClientOutput } from '../output/read-client-output.ts'
import { type Bundle, type BundleInput, createClientBundle, createServerBundle } from './bundle-options.ts'
import type { SiteConfig } from './read-config.ts'
import { translateErrors } from './translate-errors.ts'
import { translateMessage } from './translate-message.ts'

export interface SiteBundles {
  client: ClientOutput
  server: ServerOutput
  warnings: BuildProblem[]
  /** Every source file of both bundles, relative to the site. */
  inputs: string[]
}

export interface BundlesPart extends Pick<Bundler, 'cancel' | 'dispose'> {
  compile(site: DiscoveredSite, config: SiteConfig): Promise<SiteBundles | { problems: BuildProblem[] }>
}

/** Compiles the bundles of the browser and the server in parallel. Both get the same class names and asset URLs. */
export function createBundlesPart(input: { siteDir: string; folder: string; mode: Mode }): BundlesPart {
  const compileCssModule = createCssModuleCompiler(input.siteDir)
  const [client, server] = [createSide(createClientBundle), createSide(createServerBundle)]

  return {
    async compile(site, { options, key }) {
      const bundleInput = { ...input, site, options, compileCssModule }
      const entries = JSON.stringify([key, site.components, site.serverFiles, site.serverPlugin, site.config])
      const sides = await Promise.all([client.compile(entries, bundleInput), server.compile(entries, bundleInput)])
      const [{ outcome: forClient }, { outcome: forServer }] = sides
      if (!forClient.ok || !forServer.ok) {
        const messages = [forClient, forServer].flatMap((outcome) => (outcome.ok ? [] : outcome.errors))
        return { problems: await translateErrors(messages, site, sides[0].bundle.options) }
      }
      const file = (end: string) => forServer.result.outputFiles.find(({ path }) => path.endsWith(end))?.text ?? ''
      const folder = join(input.siteDir, input.folder)
      return {
        client: readClientOutput(
          forClient.result,
          sides.map(({ bundle }) => bundle.assets),
          { siteDir: input.siteDir, clientDir: join(folder, BUILD_PATHS.client) },
        ),
        server: createServerOutput(file('.mjs'), file('.mjs.map'), dirname(join(folder, BUILD_PATHS.server))),
        warnings: [...forClient.warnings, ...forServer.warnings].map(translateMessage),
        inputs: [forClient, forServer].flatMap(({ result }) => Object.keys(result.metafile.inputs)),
      }
    },
    async cancel() {
      await Promise.all([client.cancel(), server.cancel()])
    },
    async dispose() {
      await Promise.all([client.dispose(), server.dispose()])
    },
  }
}

interface Side {
  bundle: Bundle
  outcome: BundleOutcome
}

function createSide(createBundle: (input: BundleInput) => Bundle) {
  const bundler = createBundler()
  let last: { entries: string; bundle: Bundle } | null = null

  return {
    async compile(entries: string, input: BundleInput): Promise<Side> {
      const { bundle } = last?.entries === entries ? last : { bundle: createBundle(input) }
      last = { entries, bundle }
      return { bundle, outcome: await bundler.compile(entries, bundle.options) }
    },
    cancel: bundler.cancel,
    dispose: bundler.dispose,
  }
}
