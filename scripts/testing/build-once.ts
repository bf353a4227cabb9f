import { execFile } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { BUILD_FOLDER, BUILD_PATHS, ROUTE_TYPES_FILE } from '../../src/server/build-output/manifest.ts'
import { createHydrantError } from '../../src/server/errors/hydrant-error.ts'
import { toFile } from '../../src/server/failures/stacks/source-map-file.ts'
import { isRunning } from '../../src/server/util/is-running.ts'
import { PACKAGE_FOLDER, REMOVE } from '../../src/server/util/paths.ts'
import { hasCode } from '../../src/server/util/unknown-values.ts'
import { renameWithRetries } from '../open-files.ts'

/** A file with a hash of the build's inputs. `hydrant build` writes a new folder without this file. */
const STAMP = 'tested.txt'
/** Folders in a site's folder whose files no build reads, unless a module of the site imports them. */
const OTHER_FOLDERS = ['test', 'tests', 'coverage', 'dist']
/** Files that running servers and tests write, and tests themselves. */
const OTHER_FILES = /\.(?:db|db-\w+|log)$|\.(?:test|spec)\.\w+$/

/** Builds in progress in this process, by folder. */
const running = new Map<string, Promise<void>>()

/**
 * Builds a site if its files have changed since the last build for tests, of this process or another one. Processes
 * that call it at the same time build once. Rejects with HYD_TEST_BUILD, which contains the output of the build.
 */
export function buildOnce(dir: string): Promise<void> {
  const folder = existsSync(dir) ? realpathSync(dir) : resolve(dir)
  const building = running.get(folder) ?? buildIfChanged(folder).finally(() => running.delete(folder))
  running.set(folder, building)
  return building
}

async function buildIfChanged(dir: string): Promise<void> {
  await withLock(dir, async () => {
    if (isCurrent(dir)) return
    const startedAt = Date.now()
    await build(dir)
    // Described after the build, because the build writes types into the folder.
    const inputs = describeInputs(dir)
    // The build may have read a file before it was saved. Then the next call builds again.
    if (!isSavedSince(startedAt, dir)) writeFileSync(join(dir, BUILD_FOLDER, STAMP), inputs)
  })
}

/** Returns whether an input of the build has been saved at a time, in milliseconds, or later. */
function isSavedSince(time: number, dir: string): boolean {
  const files = listInputs(dir).filter((file) => file !== join(dir, ROUTE_TYPES_FILE))
  return files.some((file) => (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= time)
}

function isCurrent(dir: string): boolean {
  const stamp = join(dir, BUILD_FOLDER, STAMP)
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === describeInputs(dir)
}

function build(dir: string): Promise<void> {
  const words = [join(PACKAGE_FOLDER, 'dist/scripts/cli.js'), 'build', dir]
  const env = { ...process.env, NODE_ENV: 'production', NO_COLOR: '1' }
  return new Promise((built, fail) => {
    execFile(process.execPath, words, { env }, (error, _stdout, stderr) => {
      if (!error) return built()
      const output = stripVTControlCharacters(stderr).trim() || error.message
      fail(createHydrantError('HYD_TEST_BUILD', [dir, `:\n${output}`]))
    })
  })
}

/** Returns a hash of the paths, sizes and times of all files that a build can depend on. */
function describeInputs(dir: string): string {
  const hash = createHash('sha256').update(readFileSync(join(PACKAGE_FOLDER, 'package.json')))
  for (const file of listInputs(dir)) {
    const stats = statSync(file, { throwIfNoEntry: false })
    hash.update(`${file}\0${stats?.size}\0${stats?.mtimeMs}\n`)
  }
  return hash.digest('hex')
}

/** Returns the paths of all files that a build of a site can depend on, sorted. Some may not exist. */
export function listInputs(dir: string): string[] {
  const files = [...listFiles(dir, OTHER_FOLDERS), ...listSources(dir), join(dir, 'node_modules/.package-lock.json')]
  return [...new Set(files)].sort()
}

function listFiles(folder: string, left: readonly string[] = []): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    // Also if it is a link to a folder, as node_modules may be.
    if (entry.name === 'node_modules' || left.includes(entry.name)) return []
    if (entry.isDirectory()) return entry.name.startsWith('.') ? [] : listFiles(path)
    return OTHER_FILES.test(entry.name) ? [] : [path]
  })
}

/** Returns the modules of the last build, which may be outside of the site's folder. */
function listSources(dir: string): string[] {
  const map = join(dir, BUILD_FOLDER, `${BUILD_PATHS.server}.map`)
  if (!existsSync(map)) return []
  // The build has written the map.
  const { sources } = JSON.parse(readFileSync(map, 'utf8')) as { sources: string[] }
  return sources.map((source) => toFile(dirname(map), source))
}

const POLL_MS = 50
/** A process holds the second lock for less than a millisecond, unless it is killed in that time. */
const LEFT_AFTER_MS = 5_000

/** Runs a function while no other process runs one for the same folder. */
export async function withLock(folder: string, work: () => Promise<void>): Promise<void> {
  const name = createHash('sha256').update(`${process.getuid?.()} ${folder}`).digest('hex').slice(0, 16)
  const file = join(tmpdir(), `hydrant-test-${name}.lock`)
  while (!take(file)) {
    await removeDead(file)
    await setTimeout(POLL_MS)
  }
  try {
    await work()
  } finally {
    await release(file)
  }
}

/** Writes a lock file with the id of this process. Returns false if there is one already. */
function take(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
    return false
  }
}

/**
 * Removes a lock file, if it exists. It is renamed before: on Windows, the name of a removed file stays taken while
 * another process reads the file.
 */
async function release(file: string): Promise<void> {
  const removed = `${file}.${randomUUID()}`
  try {
    await renameWithRetries(file, removed)
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
  }
  await rm(removed, REMOVE)
}

/** Removes a dead process's lock file, under a second lock: another process may take the first meanwhile. */
async function removeDead(file: string): Promise<void> {
  if (isHeld(file)) return
  const second = `${file}.remove`
  if (!take(second)) {
    const stats = statSync(second, { throwIfNoEntry: false })
    if (stats && Date.now() - stats.mtimeMs > LEFT_AFTER_MS) await release(second)
    return
  }
  try {
    if (!isHeld(file)) await release(file)
  } finally {
    await release(second)
  }
}

function isHeld(file: string): boolean {
  try {
    const pid = Number(readFileSync(file, 'utf8'))
    // A process has just created an empty file, and is about to write its id.
    return pid === 0 || isRunning(pid)
  } catch {
    // Another process has removed it.
    return false
  }
}
