// The sites of examples/coming-from as they are after their move to Hydrant.

import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import type { FastifyInstance } from 'fastify'
import { createServer } from 'hydrant'
import { buildSharing } from '../shared-compression.ts'

const EXAMPLES = 'examples/coming-from'

export interface Example {
  name: string
  /** A copy of the folder `after`, with the site built. */
  dir: string
  createApp(): Promise<FastifyInstance>
}

/** Lists the names of the examples, which are those of their folders. */
export function listExamples(): string[] {
  return readdirSync(EXAMPLES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
}

/** Copies an example into a new folder below `folder`, which has the packages, and builds its site. */
export async function buildExample(name: string, folder: string): Promise<Example> {
  const dir = join(folder, name)
  cpSync(join(EXAMPLES, name, 'after'), dir, { recursive: true })
  mkdirSync(join(dir, 'node_modules'), { recursive: true })
  symlinkSync(process.cwd(), join(dir, 'node_modules/hydrant'))
  const hasApp = existsSync(join(dir, 'src/app.ts'))
  await buildSharing({ dir: hasApp ? join(dir, 'site') : dir })
  return { name, dir, createApp: hasApp ? () => createOwnApp(dir) : () => createServer({ dir, logger: false }) }
}

/** Creates the Fastify app of an example that registers the site itself. */
async function createOwnApp(dir: string): Promise<FastifyInstance> {
  const outfile = join(dir, 'dist/app.mjs')
  await build({
    entryPoints: [join(dir, 'src/app.ts')],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
  })
  // The examples have such a function.
  const { createApp } = (await import(pathToFileURL(outfile).href)) as {
    createApp(options: { logger: boolean }): Promise<FastifyInstance>
  }
  return await createApp({ logger: false })
}
