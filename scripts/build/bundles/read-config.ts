import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Node, ObjectExpression } from 'acorn'
import { build } from 'esbuild'
import { BUILD_PATHS } from '../../../src/server/build-output/manifest.ts'
import { createHydrantError, showValue } from '../../../src/server/errors/hydrant-error.ts'
import { describeThrown, framesIn } from '../../../src/server/failures/describe-thrown.ts'
import { createSourceMapper } from '../../../src/server/failures/stacks/source-map.ts'
import { frameText } from '../../../src/server/failures/stacks/stack-frame.ts'
import { resolveOptions } from '../../../src/server/options/resolve-options.ts'
import { messageOf } from '../../../src/server/util/unknown-values.ts'
import { type BuildProblem, createProblem, fileAt, type SourceLocation } from '../../build-problem.ts'
import { contentHash } from '../esbuild/assets.ts'
import { inputPath, outputText, settle } from '../esbuild/bundler.ts'
import { loadReactCompiler } from '../esbuild/react-compiler.ts'
import { createPositions, nodesIn, parseScript } from '../output/edit-script.ts'
import type { OutputFolder } from '../output/output-folder.ts'
import { createConfigBundle } from './bundle-options.ts'
import { type EsbuildSettings, NO_SETTINGS, readEsbuildSettings } from './esbuild-options.ts'
import { findPlaced } from './source-meta.ts'
import { translateError } from './translate-errors.ts'
import { isAboutVirtualModule } from './translate-message.ts'

export interface SiteConfig {
  /** False when the configuration is broken: then the errors of the bundles would be misleading. */
  isUsable: boolean
  /** The default export of the file; empty when there is no file or it is broken. */
  config: Record<string, unknown>
  options: EsbuildSettings
  /** Whether React checks components in strict mode, in development. */
  isStrict: boolean
  /** Changes whenever the options may have changed. */
  key: string
  problems: BuildProblem[]
  /** Every source file of the configuration, relative to the site. */
  inputs: string[]
}

export interface ConfigSource {
  siteDir: string
  /** Name of the build folder, in the site's folder. */
  folder: string
  /** The path of the file in the site; null if there is none. */
  file: string | null
  /** In development, a text that changes with the variables of the environment that can change. */
  variables?: string
}

const NOTHING: SiteConfig = {
  isUsable: false,
  config: {},
  options: NO_SETTINGS,
  isStrict: false,
  key: '',
  problems: [],
  inputs: [],
}

/** Matches code that may read variables of the environment. */
const READS_VARIABLES = /env/i

/** Writes the bundle of the configuration, evaluates it and reads the option `esbuild`. */
export async function compileConfig(
  { siteDir, folder, file, variables = '' }: ConfigSource,
  output: Pick<OutputFolder, 'path' | 'write'>,
): Promise<SiteConfig> {
  const bundle = (placed: readonly string[]) =>
    settle(() => build(createConfigBundle({ siteDir, folder, options: NO_SETTINGS }, file, placed)))
  const first = await bundle([])
  const placed = first.ok ? findPlaced(outputText(first.result.outputFiles, '.mjs'), first.result.metafile.inputs) : []
  const outcome = placed.length > 0 ? await bundle(placed) : first
  if (!outcome.ok) {
    // `checkExports` reports a missing default export.
    const errors = outcome.errors.filter((message) => !isAboutVirtualModule(message))
    return { ...NOTHING, problems: await Promise.all(errors.map((message) => translateError(siteDir, message))) }
  }
  const { outputFiles, metafile } = outcome.result
  for (const { path, contents } of outputFiles) {
    await output.write(path.endsWith('.map') ? `${BUILD_PATHS.config}.map` : BUILD_PATHS.config, contents)
  }
  const used = READS_VARIABLES.test(outputText(outputFiles, '.mjs')) ? variables : ''
  const key = contentHash(...outputFiles.map(({ contents }) => contents), used)
  const read = { ...NOTHING, key, inputs: Object.keys(metafile.inputs).map(inputPath) }
  if (file === null) return { ...read, isUsable: true }
  return { ...read, ...(await evaluate(file, join(output.path, BUILD_PATHS.config), key, siteDir)) }
}

async function evaluate(file: string, bundle: string, key: string, siteDir: string): Promise<Partial<SiteConfig>> {
  const places = createConfigPlaces(siteDir, bundle)
  const problems: BuildProblem[] = []
  function report(error: unknown, option: string | null) {
    const location = places.ofError(error) ?? (option === null ? null : places.ofOption(option)) ?? fileAt(file)
    problems.push(describeFailure(file, error, location))
  }
  async function attempt<Value>(option: string | null, read: () => Value | Promise<Value>): Promise<Value | null> {
    try {
      return await read()
    } catch (error) {
      report(error, option)
      return null
    }
  }

  const module = await attempt<{ default?: unknown }>(null, () => import(`${pathToFileURL(bundle).href}?${key}`))
  if (!module) return { problems }
  const settings = await attempt('esbuild', () => readEsbuildSettings(module.default))
  // Its error is about the configuration as a whole.
  if (typeof module.default !== 'object' || Array.isArray(module.default)) return { problems }
  const config: Record<string, unknown> = { ...module.default }
  const isStrict = await attempt('strictMode', () => readSwitch(config, 'strictMode'))
  const compileReact = await attempt('reactCompiler', () =>
    readSwitch(config, 'reactCompiler') ? loadReactCompiler(siteDir) : null,
  )
  // Now, and not when the server starts.
  for (const { name, error } of findRefusedOptions(config)) report(error, name)
  if (problems.length > 0 || !settings) return { problems }
  return { isUsable: true, config, options: { ...settings, compileReact }, isStrict: isStrict === true }
}

function readSwitch(config: Record<string, unknown>, name: 'strictMode' | 'reactCompiler'): boolean {
  const value = config[name] ?? false
  if (typeof value === 'boolean') return value
  throw createHydrantError('HYD_OPTION_INVALID', [name, 'true or false', showValue(value)])
}

function describeFailure(file: string, error: unknown, location: SourceLocation): BuildProblem {
  const message = messageOf(error)
  if (error instanceof Error && 'fix' in error && 'code' in error) {
    // An error of the table, thrown by the functions that check options.
    const { code, fix } = error as { code: BuildProblem['code']; fix: string }
    return { code, message, fix: code === 'HYD_OPTION_INVALID' ? `Correct the value in ${file}.` : fix, location }
  }
  return createProblem('HYD_BUILD_CONFIG', [file, message], location)
}

/** An option of the configuration that the server would refuse. */
interface RefusedOption {
  /** The full name: `timeouts.loadMs`. */
  name: string
  error: unknown
}

/** Finds all options that the server would refuse. `resolveOptions` throws for the first one. */
function findRefusedOptions(config: Record<string, unknown>): RefusedOption[] {
  return Object.entries(config).flatMap(([name, value]) => {
    const error = refusalOf({ [name]: value })
    if (error === null) return []
    const parts = typeof value === 'object' && value !== null ? Object.entries(value) : []
    const refused = parts.flatMap(([part, inner]): RefusedOption[] => {
      const reason = refusalOf({ [name]: { [part]: inner } })
      return reason === null ? [] : [{ name: `${name}.${part}`, error: reason }]
    })
    return refused.length > 0 ? refused : [{ name, error }]
  })
}

/** Returns the error that `resolveOptions` throws, or null. */
function refusalOf(config: Record<string, unknown>): unknown {
  try {
    resolveOptions({ config })
    return null
  } catch (error) {
    return error
  }
}

function createConfigPlaces(siteDir: string, bundle: string) {
  const { mapFrame, codeAround } = createSourceMapper(siteDir, [{ path: bundle, findFile: () => bundle }])

  function ofFrames(texts: readonly string[]): SourceLocation | null {
    const frame = texts.map((text) => mapFrame(text).frame).find((one) => one?.isSite)
    if (!frame) return null
    const { file, line, column } = frame
    const code = codeAround(frame)
    return { file, line, column, lineText: code?.lines[line - code.firstLine] ?? null }
  }

  return {
    ofError: (error: unknown) => ofFrames(framesIn(describeThrown(error).stack)),
    /** Returns the place of an option, by its full name: `timeouts.loadMs`. */
    ofOption(name: string) {
      const code = readFileSync(bundle, 'utf8')
      const offset = findOption(code, name.split('.'))
      if (offset === null) return null
      const [line, column] = createPositions(code)(offset)
      return ofFrames([frameText({ file: bundle, line: line + 1, column: column + 1, function: '', isSite: false })])
    },
  }
}

/**
 * Returns the offset of a property, given the names that lead to it from an object that is not itself the value of a
 * property. Without that property, it is the offset of the innermost one on the way to it.
 */
function findOption(code: string, path: readonly string[]): number | null {
  const inner = new Set<Node>()
  for (const node of nodesIn(parseScript(code))) {
    if (node.type === 'Property') inner.add(node.value)
    const found = node.type === 'ObjectExpression' && !inner.has(node) ? offsetIn(node, path) : null
    if (found !== null) return found
  }
  return null
}

function offsetIn(object: ObjectExpression, [name, ...rest]: readonly string[]): number | null {
  for (const property of object.properties) {
    if (property.type !== 'Property' || property.computed) continue
    const { key, value, start } = property
    if ((key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : null) !== name) continue
    return (value.type === 'ObjectExpression' && rest.length > 0 ? offsetIn(value, rest) : null) ?? start
  }
  return null
}
