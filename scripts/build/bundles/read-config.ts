import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Mode } from '../../../src/server/build-output/manifest.ts'
import { BUILD_PATHS } from '../../../src/server/build-output/manifest.ts'
import { describeThrown, framesIn } from '../../../src/server/failures/describe-thrown.ts'
import { createSourceMapper } from '../../../src/server/failures/stacks/source-map.ts'
import { resolveOptions } from '../../../src/server/options/options.ts'
import { type BuildProblem, createProblem, fileAt, type SourceLocation } from '../../build-problem.ts'
import { contentHash } from '../esbuild/content-hash.ts'
import { type Bundler, createBundler } from '../esbuild/incremental-build.ts'
import type { OutputFolder } from '../output/output-folder.ts'
import { createConfigBundle } from './bundle-options.ts'
import { type EsbuildSettings, readSiteOptions } from './esbuild-options.ts'
import { isAboutVirtualModule, translateMessage } from './translate-message.ts'

export interface SiteConfig {
  /** Without it, what the bundles say would be wrong as well. */
  isUsable: boolean
  /** What the file exports; empty when there is none or it is wrong. */
  config: Record<string, unknown>
  options: EsbuildSettings
  /** Changes whenever the options may have. */
  key: string
  problems: BuildProblem[]
  /** Every source file, relative to the site. */
  inputs: string[]
}

export interface ConfigPart extends Pick<Bundler, 'cancel' | 'dispose'> {
  /** Writes the configuration's bundle and reads what it says about the others. */
  compile(file: string | null, output: OutputFolder): Promise<SiteConfig>
}

const NO_OPTIONS: EsbuildSettings = { plugins: [], loader: {}, define: {}, alias: {} }
const NOTHING: SiteConfig = { isUsable: false, config: {}, options: NO_OPTIONS, key: '', problems: [], inputs: [] }

export function createConfigPart(input: { siteDir: string; folder: string; mode: Mode }): ConfigPart {
  const bundler = createBundler()

  return {
    async compile(file, output) {
      const outcome = await bundler.compile(file ?? '', createConfigBundle({ ...input, options: NO_OPTIONS }, file))
      if (!outcome.ok) {
        // A missing default export is found with those of all other files.
        const errors = outcome.errors.filter((message) => !isAboutVirtualModule(message))
        return { ...NOTHING, problems: errors.map(translateMessage) }
      }
      for (const { path, contents } of outcome.result.outputFiles) {
        await output.write(path.endsWith('.map') ? `${BUILD_PATHS.config}.map` : BUILD_PATHS.config, contents)
      }
      const key = contentHash(...outcome.result.outputFiles.map(({ contents }) => contents))
      const read = { ...NOTHING, key, inputs: Object.keys(outcome.result.metafile.inputs) }
      if (file === null) return { ...read, isUsable: true }
      return {
        ...read,
        ...(await evaluate(file, join(output.path, BUILD_PATHS.config), key, input.siteDir)),
      }
    },
    cancel: bundler.cancel,
    dispose: bundler.dispose,
  }
}

async function evaluate(file: string, bundle: string, key: string, siteDir: string): Promise<Partial<SiteConfig>> {
  try {
    const module: { default?: unknown } = await import(`${pathToFileURL(bundle).href}?${key}`)
    const config: Record<string, unknown> = { ...Object(module.default) }
    const options = await readSiteOptions(module.default)
    // A name that the server would not know is found now, not when it starts.
    resolveOptions({ config })
    return { isUsable: true, config, options }
  } catch (error) {
    return { problems: [describeFailure(file, error, placeOf(error, bundle, siteDir))] }
  }
}

/** Where the configuration has thrown it; null when its stack does not say. */
function placeOf(error: unknown, bundle: string, siteDir: string): SourceLocation | null {
  const { mapFrame, codeAround } = createSourceMapper(siteDir, [{ path: bundle, findFile: () => bundle }])
  const frames = framesIn(describeThrown(error).stack).map((frame) => mapFrame(frame).frame)
  const frame = frames.find((one) => one?.isSite)
  if (!frame) return null
  const { file, line, column } = frame
  const code = codeAround(frame)
  return { file, line, column, lineText: code?.lines[line - code.firstLine] ?? null }
}

function describeFailure(file: string, error: unknown, place: SourceLocation | null): BuildProblem {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof Error && 'fix' in error && 'code' in error) {
    // An error of the table, made by the functions that check options.
    const { code, fix } = error as { code: BuildProblem['code']; fix: string }
    return { code, message, fix, place: place ?? fileAt(file) }
  }
  return createProblem('HYD_BUILD_CONFIG', [file, message], place ?? fileAt(file))
}
