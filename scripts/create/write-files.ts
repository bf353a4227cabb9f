import { closeSync, existsSync, mkdirSync, openSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
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
  requireNoFile(folder, dir)
  requireEmpty(folder, dir)
  const written: string[] = []
  try {
    for (const [path, contents] of files) writeFile(join(folder, path), contents, written)
  } catch (error) {
    for (const path of written) rmSync(path, { recursive: true, force: true })
    throw createHydrantError('HYD_CREATE_UNWRITABLE', [dir, messageOf(error)], error)
  }
}

/** Throws if the folder, or a part of its path, is a file. */
function requireNoFile(folder: string, dir: string) {
  let path = folder
  while (!existsSync(path) && path !== dirname(path)) path = dirname(path)
  if (statSync(path).isDirectory()) return
  const problem = path === folder ? 'it is a file' : `${path} is a file`
  const error = createHydrantError('HYD_CREATE_UNWRITABLE', [dir, problem])
  throw Object.assign(error, { fix: 'Choose another folder, or move the file away first.' })
}

function requireEmpty(folder: string, dir: string) {
  const present = entriesOf(folder).filter((name) => !ALLOWED.includes(name))
  if (present.length === 0) return
  const names = present.slice(0, 3).join(', ')
  const more = present.length > 3 ? ` and ${present.length - 3} more` : ''
  throw createHydrantError('HYD_CREATE_NOT_EMPTY', [dir, names + more])
}

/** Returns nothing for a folder that cannot be read: writing into it fails with the reason. */
function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Writes a new file and adds it, or the outermost folder that it needed, to the list. Never replaces a file. */
function writeFile(file: string, contents: string | Uint8Array, written: string[]) {
  const folder = mkdirSync(dirname(file), { recursive: true })
  if (folder !== undefined) written.push(folder)
  const descriptor = openSync(file, 'wx')
  written.push(file)
  try {
    writeFileSync(descriptor, contents)
  } finally {
    closeSync(descriptor)
  }
}
