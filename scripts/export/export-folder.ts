import { mkdir, readdir, realpath } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { BUILD_FOLDER } from '../../src/server/build-output/manifest.ts'
import { createHydrantError } from '../../src/server/errors/hydrant-error.ts'
import { hasCode } from '../../src/server/util/message-of.ts'
import { createOutputFolder, type OutputFolder } from '../build/output/output-folder.ts'

/** A file that identifies the folder of an export, so that the next one may replace it. */
export const MARKER = '.hydrant-export'

/** Folders of a site that a command reads or replaces. */
const OWN_FOLDERS = ['pages', 'public', BUILD_FOLDER]

/**
 * Returns the absolute path of the folder to write. Throws HYD_EXPORT_FOLDER for a folder with files that no export
 * has written, and for one inside the site's own folders.
 */
export async function checkExportFolder(dir: string, out: string | undefined): Promise<string> {
  const siteDir = await realpath(dir)
  const target = out === undefined ? join(siteDir, 'export') : resolve(out)
  const [first = ''] = relative(siteDir, target).split(sep)
  if (OWN_FOLDERS.includes(first)) throw createHydrantError('HYD_EXPORT_FOLDER', [target, `it is inside ${first}/`])
  const names = await readNames(target)
  if (names.length > 0 && !names.includes(MARKER))
    throw createHydrantError('HYD_EXPORT_FOLDER', [target, 'it contains files that no export has written'])
  return target
}

async function readNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    if (hasCode(error, 'ENOTDIR')) throw createHydrantError('HYD_EXPORT_FOLDER', [folder, 'it is a file'])
    throw error
  }
}

/** Creates an empty folder next to the target, which replaces it with `commit`. */
export async function createExportFolder(target: string): Promise<OutputFolder> {
  const parent = dirname(target)
  await mkdir(parent, { recursive: true })
  const name = basename(target)
  // No other program may use this name: folders with this name are removed when their process has ended.
  return await createOutputFolder(parent, name, `.${name}.hydrant-export`)
}
