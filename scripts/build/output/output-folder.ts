import { copyFile, link, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { createHydrantError } from '../../../src/server/errors/error-table.ts'

/** A folder that is filled beside the one that it is to replace. */
export interface OutputFolder {
  path: string
  write(name: string, contents: string | Uint8Array): Promise<void>
  copy(source: string, name: string): Promise<void>
  /** Takes over a file that the build before holds, under the same name or another. */
  keep(source: string, name?: string): Promise<void>
  /** Puts it in the other's place: readers see the whole old build or the whole new one. */
  commit(): Promise<void>
  discard(): Promise<void>
}

/** Throws HYD_BUILD_WRITE, here and in what it returns, when the disk refuses. */
export async function createOutputFolder(siteDir: string, folder: string): Promise<OutputFolder> {
  const target = join(siteDir, folder)
  const path = `${target}-${process.pid}`
  const aside = `${path}-old`
  const guard = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      throw createHydrantError(
        'HYD_BUILD_WRITE',
        [target, error instanceof Error ? error.message : String(error)],
        error,
      )
    }
  }
  const made = new Map<string, Promise<unknown>>()
  const place = (name: string, work: (file: string) => Promise<void>) =>
    guard(async () => {
      const parent = dirname(join(path, name))
      const ready = made.get(parent) ?? mkdir(parent, { recursive: true })
      made.set(parent, ready)
      await ready
      await work(join(path, name))
    })
  await guard(async () => {
    await removeLeftovers(target)
    await rm(path, { recursive: true, force: true })
    await mkdir(path, { recursive: true })
  })
  return {
    path,
    write: (name, contents) => place(name, (file) => writeFile(file, contents)),
    copy: (source, name) => place(name, (file) => copyFile(source, file)),
    // Not every disk knows links.
    keep: (source, name = source) =>
      place(name, (file) => link(join(target, source), file).catch(() => copyFile(join(target, source), file))),
    commit: () =>
      guard(async () => {
        await rm(aside, { recursive: true, force: true })
        await ignoreMissing(rename(target, aside))
        await rename(path, target)
        await rm(aside, { recursive: true, force: true })
      }),
    discard: () => guard(() => rm(path, { recursive: true, force: true })),
  }
}

/** Removes what processes left that no longer run. One that died while it swapped had the only whole build. */
async function removeLeftovers(target: string): Promise<void> {
  const names = await readdir(dirname(target))
  for (const name of names) {
    if (!name.startsWith(`${basename(target)}-`)) continue
    const [, pid, old] = /^(\d+)(-old)?$/.exec(name.slice(basename(target).length + 1)) ?? []
    if (pid === undefined || isRunning(Number(pid))) continue
    const leftover = join(dirname(target), name)
    if (old !== undefined && !names.includes(basename(target))) await rename(leftover, target)
    else await rm(leftover, { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it runs, as somebody else's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

async function ignoreMissing(work: Promise<void>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
}
