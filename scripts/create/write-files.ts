import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createHydrantError } from '../../src/server/errors/hydrant-error.ts'
import { messageOf } from '../../src/server/util/message-of.ts'

/** Entries that a folder may have before: `git init` or `git clone` made them. */
const ALLOWED = ['.git']

/**
 * Writes files into a folder, which it creates if necessary. Writes all of them or none: on an error, it removes those
 * that it has written.
 *
 * Throws HYD_CREATE_NOT_EMPTY and HYD_CREATE_UNWRITABLE.
 */
export function writeFiles(dir: string, files: ReadonlyMap<string, string | Uint8Array>): void {
  const folder = resolve(dir)
  let created: string | undefined
  const written: string[] = []
  try {
    created = mkdirSync(folder, { recursive: true })
    requireEmpty(folder, dir)
    for (const [path, contents] of files) {
      written.push(path.split(/[\\/]/, 1)[0] ?? path)
      const file = join(folder, path)
      mkdirSync(dirname(file), { recursive: true })
      // Fails if the file exists: a file that another process has just written is not overwritten.
      writeFileSync(file, contents, { flag: 'wx' })
    }
  } catch (error) {
    remove(created === undefined ? written.map((name) => join(folder, name)) : [created])
    if (isOwn(error)) throw error
    throw createHydrantError('HYD_CREATE_UNWRITABLE', [dir, messageOf(error)], error)
  }
}

function requireEmpty(folder: string, dir: string) {
  const present = readdirSync(folder).filter((name) => !ALLOWED.includes(name))
  if (present.length === 0) return
  const names = present.slice(0, 3).join(', ')
  const more = present.length > 3 ? ` and ${present.length - 3} more` : ''
  throw createHydrantError('HYD_CREATE_NOT_EMPTY', [dir, names + more])
}

function remove(paths: readonly string[]) {
  for (const path of paths) rmSync(path, { recursive: true, force: true })
}

function isOwn(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'HYD_CREATE_NOT_EMPTY'
}
