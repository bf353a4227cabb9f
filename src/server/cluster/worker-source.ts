import type { Worker } from 'node:cluster'
import { type BuildCopy, copyBuild, serveCopy } from '../build-output/build-copy.ts'
import type { Manifest } from '../build-output/manifest.ts'
import type { EnvFiles } from '../options/env-files.ts'
import { createPrimaryChannel } from './primary-channel.ts'

/** What a worker starts from. It stays the same for all workers, whatever happens on the disk, until a reload. */
export interface WorkerSource {
  /** Null when the build could not be read. The worker then says why. */
  build: BuildCopy | null
  /** The whole environment. */
  env: NodeJS.ProcessEnv
}

/** Reads the files with environment variables, and the build. Throws when one of the former cannot be read. */
export function readSource(folder: string, envFiles: EnvFiles): WorkerSource {
  envFiles.load()
  const env = { ...process.env }
  try {
    return { build: copyBuild(folder), env }
  } catch {
    return { build: null, env }
  }
}

/**
 * Makes this worker load the build that the primary has read. Returns its manifest. Throws the errors of `serveCopy`.
 */
export async function takeBuild(worker: Worker, folder: string): Promise<Manifest> {
  return await serveCopy(folder, await createPrimaryChannel(worker).findBuild())
}
