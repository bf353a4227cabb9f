import { isAbsolute, posix } from 'node:path'
import {
  type BuildContext,
  type BuildOptions,
  type BuildResult,
  context,
  type Message,
  type OutputFile,
  transform,
} from 'esbuild'
import { createHydrantError } from '../../../src/server/errors/hydrant-error.ts'
import { toSitePath } from '../../../src/server/util/paths.ts'
import { messageOf } from '../../../src/server/util/unknown-values.ts'

export type BundleOptions = BuildOptions & { write: false; metafile: true }

export type BundleOutcome =
  | { ok: true; result: BuildResult<BundleOptions>; warnings: Message[] }
  | { ok: false; errors: Message[]; warnings: Message[] }

export function createBundler() {
  let current: { key: string; context: BuildContext<BundleOptions> } | null = null

  async function dispose() {
    const last = current
    current = null
    await last?.context.dispose()
  }

  return {
    /** Compiles, and reuses the last compilation when the key is equal. Equal keys require equal options. */
    async compile(key: string, options: BundleOptions) {
      if (current?.key !== key) await dispose()
      return await settle(async () => {
        current ??= { key, context: await context(options) }
        return await current.context.rebuild()
      })
    },
    dispose,
  }
}

/** Throws HYD_ESBUILD_MISSING if esbuild cannot run, for example because npm has left out the binary for the system. */
export async function requireEsbuild(): Promise<void> {
  try {
    await transform('')
  } catch (error) {
    const [reason = ''] = messageOf(error).trim().split('\n')
    throw createHydrantError('HYD_ESBUILD_MISSING', [`@esbuild/${process.platform}-${process.arch}`, reason], error)
  }
}

/** Runs a build and returns its errors when esbuild rejects with a list of messages. Throws every other error. */
export async function settle(build: () => Promise<BuildResult<BundleOptions>>): Promise<BundleOutcome> {
  try {
    const result = await build()
    return { ok: true, result, warnings: result.warnings }
  } catch (error) {
    if (!isBuildFailure(error)) throw error
    return { ok: false, errors: error.errors, warnings: error.warnings }
  }
}

/** Returns whether an error is the one that esbuild rejects with when it finds errors in the code. */
export function isBuildFailure(error: unknown): error is { errors: Message[]; warnings: Message[] } {
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors) && 'warnings' in error
}

/** Returns an input's path. esbuild adds `with { type: 'json' }` if the file is also imported without it. */
export function inputPath(input: string): string {
  return input.replace(/ with \{[^}]*\}$/, '')
}

/**
 * Matches the id of a module that a plugin provides, or that a package leaves out: its namespace and its path. A drive of
 * Windows has one letter.
 */
export const VIRTUAL_ID = /^([\w()-]{2,}):(.*)$/

/** Returns a file as an entry of esbuild, relative to the site: a star in the path of the site's folder would be a pattern. */
export function entryPath(siteDir: string, file: string): string {
  const path = toSitePath(siteDir, file)
  // On another drive of Windows.
  return isAbsolute(path) ? path : `./${path}`
}

/** Returns the text of the output file whose path has this end; an empty text if there is none. */
export function outputText(files: readonly OutputFile[] = [], end: string): string {
  return files.find(({ path }) => path.endsWith(end))?.text ?? ''
}

export function outputsByName(files: readonly OutputFile[]): Map<string, OutputFile> {
  return new Map(files.map((file) => [posix.basename(file.path.replaceAll('\\', '/')), file]))
}
