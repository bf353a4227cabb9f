import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { BUILD_PATHS } from '../../src/server/build-output/manifest.ts'
import { buildFolder, readConfig, readManifest } from '../../src/server/build-output/read-build.ts'
import { createHydrantError } from '../../src/server/errors/hydrant-error.ts'
import { openLedger } from '../../src/server/ledger/open-ledger.ts'
import { wantsColors } from '../../src/server/log/wants-colors.ts'
import { createEnvFiles } from '../../src/server/options/env-files.ts'
import type { Options } from '../../src/server/options/options.ts'
import { resolveOptions } from '../../src/server/options/resolve-options.ts'
import { isPostgresUrl, placeOf } from '../../src/server/postgres/database-url.ts'
import { hasCode } from '../../src/server/util/message-of.ts'
import { DEV_LEDGER } from '../dev-ledger.ts'
import { isFolder } from '../is-folder.ts'
import { createPaint } from '../terminal/paint.ts'
import { folderWord, quoteWord } from '../terminal/quote-word.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { describeErrors, type NamedLedger } from './describe-errors.ts'
import { type ErrorsFlags, readRequest, readWords } from './errors-arguments.ts'

type Env = Record<string, string | undefined>

/** Runs `hydrant errors`. Loads nothing that only building or serving needs. */
export async function runErrors(
  words: readonly string[],
  { ledger, dev, ...flags }: ErrorsFlags & { ledger?: string; dev?: boolean },
  { stdout, stderr, env }: Terminal,
): Promise<void> {
  const now = Date.now()
  const { digest, dir } = readWords(words, isFolder)
  const request = readRequest(digest, flags, now)
  if (dev && ledger !== undefined)
    throw createHydrantError('HYD_CLI_USAGE', ['--dev and --ledger both name a ledger; leave one of them out'])
  if (ledger === undefined) createEnvFiles(dir, dev ? 'development' : 'production', env).load()
  if (request.kind === 'list' && request.query.isNew)
    request.query.release ??= await readRelease(ledger === undefined ? dir : null, env)
  const { close, ...from } = await (dev ? openDevLedger(dir, env) : openForReading(dir, env, ledger))
  try {
    const view = {
      paint: createPaint(wantsColors(stdout, env)),
      width: stdout.columns ?? Number.POSITIVE_INFINITY,
      now,
    }
    const text = await describeErrors(request, from, view, (more) => stderr.write(`${more}\n`))
    stdout.write(`${text}\n`)
  } finally {
    await close()
  }
}

/**
 * Opens the ledger that the site's server writes. Its place comes from the environment, to which the site's `.env` files
 * belong, from the configuration in the build if there is one, or from the default. `place` selects another ledger: a file relative to the working directory,
 * or a `postgres:` URL.
 */
async function openForReading(
  dir: string,
  env: Env,
  place?: string,
): Promise<NamedLedger & { close(): Promise<void> }> {
  const options =
    place === undefined ? await readOptions(dir, env) : resolveOptions({ given: { ledger: toPlace(place) } })
  const ledger = await openLedger(dir, options)
  return { ledger, name: nameOf(dir, options), words: wordsFor(dir, place), close: ledger.close }
}

/** Opens the ledger of `hydrant dev`. */
async function openDevLedger(dir: string, env: Env) {
  try {
    const opened = await openForReading(dir, env, join(dir, DEV_LEDGER))
    return { ...opened, words: `${folderWord(dir)} --dev`, isDev: true }
  } catch (error) {
    if (!hasCode(error, 'HYD_LEDGER_MISSING')) throw error
    throw Object.assign(error as Error, { fix: NO_DEV_LEDGER })
  }
}

const NO_DEV_LEDGER =
  'Pass the folder that "hydrant dev" was started with: "hydrant errors --dev <dir>"; the first failure creates the file.'

async function readOptions(dir: string, env: Env): Promise<Options> {
  const folder = buildFolder(dir)
  const isBuilt = existsSync(join(folder, BUILD_PATHS.config))
  return resolveOptions({ env, config: isBuilt ? await readConfig(folder) : {} })
}

/** Returns the release of the build in a site's folder, resolved from the same options as by its server. */
async function readRelease(dir: string | null, env: Env): Promise<string> {
  if (dir === null) throw createHydrantError('HYD_CLI_USAGE', ['--new needs --release when --ledger is set'])
  const folder = buildFolder(dir)
  if (!existsSync(join(folder, BUILD_PATHS.manifest)))
    throw createHydrantError('HYD_CLI_USAGE', ['--new needs --release, because there is no build'])
  const { release } = resolveOptions({ env, config: await readConfig(folder) })
  return release || readManifest(folder).buildId
}

function toPlace(place: string): string {
  return isPostgresUrl(place) ? place : resolve(place)
}

function nameOf(dir: string, { ledger }: Options): string {
  if (ledger === false) return ''
  if (!isPostgresUrl(ledger)) return resolve(dir, ledger)
  return placeOf(ledger)
}

// Leaves the URL out, because it may contain a password.
function wordsFor(dir: string, place: string | undefined): string {
  if (place === undefined) return folderWord(dir)
  return isPostgresUrl(place) ? ' --ledger …' : ` --ledger ${quoteWord(place)}`
}
