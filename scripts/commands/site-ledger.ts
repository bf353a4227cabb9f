import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { BUILD_PATHS } from '../../src/server/build-output/manifest.ts'
import { buildFolder, readConfig } from '../../src/server/build-output/read-build.ts'
import { DEV_LEDGER, type Ledger } from '../../src/server/ledger/ledger.ts'
import { openLedger } from '../../src/server/ledger/open-ledger.ts'
import { wantsColors } from '../../src/server/log/output.ts'
import { createEnvFiles } from '../../src/server/options/env-files.ts'
import type { Options } from '../../src/server/options/options.ts'
import { resolveOptions } from '../../src/server/options/resolve-options.ts'
import { isPostgresUrl, placeOf } from '../../src/server/util/postgres.ts'
import { hasCode } from '../../src/server/util/unknown-values.ts'
import type { View } from '../terminal/format-failure.ts'
import { createPaint, folderWord, quoteWord, type Terminal } from '../terminal/text.ts'
import { misuse } from './command-input.ts'

export type Env = Record<string, string | undefined>

/** The flags that select a ledger. */
export interface LedgerFlags {
  ledger?: string | undefined
  dev?: boolean | undefined
}

/** An open ledger, and its name for the reader: a file, or an address without its password. */
export interface NamedLedger<Method extends keyof Ledger> {
  ledger: Pick<Ledger, Method>
  name: string
  /** The arguments that select it on the command line: ` ./my-site`; empty for the ledger of the working directory. */
  words: string
  /** Whether it is the ledger of `hydrant dev` (false). */
  isDev?: boolean
}

type OpenedLedger = NamedLedger<keyof Ledger> & { close(): Promise<void> }

/** Checks the flags, and loads the `.env` files of the site if they select its own ledger. Throws HYD_CLI_USAGE. */
export function selectLedger({ dir, ledger, dev = false }: LedgerFlags & { dir: string }, env: Env) {
  if (dev && ledger !== undefined) throw misuse('--dev and --ledger both name a ledger; leave one of them out')
  if (ledger === undefined) createEnvFiles(dir, dev ? 'development' : 'production', env).load()
  return { open: () => (dev ? openDevLedger(dir, env) : openForReading(dir, env, ledger)) }
}

/** Opens a ledger, and writes what `describe` returns about it. */
export async function printFromLedger(
  selected: ReturnType<typeof selectLedger>,
  { stdout, env }: Terminal,
  now: number,
  describe: (from: NamedLedger<keyof Ledger>, view: View) => Promise<string>,
): Promise<void> {
  const { close, ...from } = await selected.open()
  try {
    const view = {
      paint: createPaint(wantsColors(stdout, env)),
      width: stdout.columns ?? Number.POSITIVE_INFINITY,
      now,
    }
    stdout.write(`${await describe(from, view)}\n`)
  } finally {
    await close()
  }
}

/**
 * Opens the ledger that the site's server writes. Its place comes from the environment, to which the site's `.env` files
 * belong, from the configuration in the build if there is one, or from the default. `place` selects another ledger: a file relative to the working directory,
 * or a `postgres:` URL.
 */
async function openForReading(dir: string, env: Env, place?: string): Promise<OpenedLedger> {
  const options =
    place === undefined ? await readOptions(dir, env) : resolveOptions({ given: { ledger: toPlace(place) } })
  const ledger = await openLedger(dir, options)
  return { ledger, name: nameOf(dir, options), words: wordsFor(dir, place), close: ledger.close }
}

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
