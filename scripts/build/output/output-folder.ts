import { copyFile, link, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { createHydrantError } from '../../../src/server/errors/hydrant-error.ts'
import { isRunning } from '../../../src/server/util/is-running.ts'
import { REMOVE } from '../../../src/server/util/paths.ts'
import { hasCode, messageOf } from '../../../src/server/util/unknown-values.ts'
import { renameWithRetries } from '../../open-files.ts'

/** A folder that is filled next to the folder that it replaces. */
export interface OutputFolder {
  path: string
  write(name: string, contents: string | Uint8Array): Promise<void>
  copy(source: string, name: string): Promise<void>
  /** Keeps a file of the previous build. */
  keep(name: string): Promise<void>
  /** Replaces the old folder by two renames, with no folder in between. A failure keeps the old build. */
  commit(): Promise<void>
  discard(): Promise<void>
}

/**
 * Creates an empty output folder. It and its methods throw HYD_BUILD_WRITE when the disk refuses.
 *
 * @param prefix The start of the temporary name. Folders with this prefix and the number of an ended process are removed.
 */
export async function createOutputFolder(siteDir: string, folder: string, prefix = folder): Promise<OutputFolder> {
  const target = join(siteDir, folder)
  const path = `${join(siteDir, prefix)}-${process.pid}`
  const aside = `${path}-old`
  const guard = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw createHydrantError('HYD_BUILD_WRITE', [target, messageOf(error)], error)
    }
  }
  const folders = new Map<string, Promise<unknown>>()
  const addFile = (name: string, work: (file: string) => Promise<void>) =>
    guard(async () => {
      const parent = dirname(join(path, name))
      const ready = folders.get(parent) ?? mkdir(parent, { recursive: true })
      folders.set(parent, ready)
      await ready
      await work(join(path, name))
    })
  await guard(async () => {
    await removeLeftovers(target, prefix)
    await rm(path, REMOVE)
    await mkdir(path, { recursive: true })
  })
  return {
    path,
    write: (name, contents) => addFile(name, (file) => writeFile(file, contents)),
    copy: (source, name) => addFile(name, (file) => copyFile(source, file)),
    // Some file systems have no hard links.
    keep: (name) =>
      addFile(name, (file) => link(join(target, name), file).catch(() => copyFile(join(target, name), file))),
    commit: () =>
      guard(async () => {
        await rm(aside, REMOVE)
        await ignoreMissing(renameWithRetries(target, aside))
        await renameWithRetries(path, target).catch(async (error: unknown) => {
          await ignoreMissing(renameWithRetries(aside, target))
          throw error
        })
        await rm(aside, REMOVE)
      }),
    discard: () => guard(() => rm(path, REMOVE)),
  }
}

/** Removes the folders of ended processes. Restores the last build if one ended between the renames of a commit. */
async function removeLeftovers(target: string, prefix: string): Promise<void> {
  const names = await readdir(dirname(target))
  for (const name of names) {
    if (!name.startsWith(`${prefix}-`)) continue
    const [, pid, old] = /^(\d+)(-old)?$/.exec(name.slice(prefix.length + 1)) ?? []
    if (pid === undefined || isRunning(Number(pid))) continue
    const leftover = join(dirname(target), name)
    if (old !== undefined && !names.includes(basename(target))) await renameWithRetries(leftover, target)
    else await rm(leftover, REMOVE)
  }
}

async function ignoreMissing(work: Promise<void>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
  }
}
