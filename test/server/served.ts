// Sites that a test writes, builds and requests with `inject`.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import type { Test } from 'tap'
import type { BuildFiles } from '../../src/server/build-output/load-build.ts'
import { buildFolder, readManifest } from '../../src/server/build-output/read-build.ts'
import { type CreateServerOptions, createServer } from '../../src/server/create-server.ts'
import { buildSharing } from '../shared-compression.ts'
import type { LogLine } from '../site-server.ts'
import { WITHOUT_HYDRATION } from '../without-hydration.ts'

export type Files = Record<string, string | Buffer>

const page = 'export default function Page() {\n  return <p>page</p>\n}\n'

/** Writes files into a folder. Other files in it stay. */
export function writeFiles(dir: string, files: Files) {
  for (const [path, contents] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), contents)
  }
}

/**
 * Writes and builds a site that has at least `pages/index.tsx`, for requests by HTTP clients: browsers do not hydrate its
 * pages. Returns its folder.
 */
export async function buildFiles(dir: string, files: Files): Promise<string> {
  return buildForBrowser(dir, { ...WITHOUT_HYDRATION, ...files })
}

/** Writes and builds a site that has at least `pages/index.tsx`. Returns its folder. */
export async function buildForBrowser(dir: string, files: Files): Promise<string> {
  writeFiles(dir, { 'pages/index.tsx': page, ...files })
  await buildSharing({ dir })
  return dir
}

/** Returns the name of the browser's script that contains a module, by the end of its path. A name itself is a hash. */
export function scriptOf(dir: string, source: string): string {
  const { folder, manifest } = builtFiles(dir)
  const found = manifest.clientFiles.find((name) => {
    const file = join(folder, 'maps', `${name}.map`)
    if (!name.endsWith('.js') || !existsSync(file)) return false
    const map: { sources: string[] } = JSON.parse(readFileSync(file, 'utf8'))
    return map.sources.some((path) => path.endsWith(source))
  })
  if (found === undefined) throw new Error(`No script of ${folder} contains ${source}.`)
  return found
}

export interface Log {
  lines: LogLine[]
  /** The value of Fastify's `logger` option. */
  logger: { level: string; stream: { write(text: string): void } }
  errors(): LogLine[]
}

export function createLog(): Log {
  const lines: LogLine[] = []
  return {
    lines,
    // The cast is safe because Fastify's logger writes one JSON object per line.
    logger: { level: 'info', stream: { write: (text) => void lines.push(JSON.parse(text) as LogLine) } },
    errors: () => lines.filter(({ level }) => level >= 50),
  }
}

/** The headers of a browser. `inject` itself counts as a crawler. */
export const HTML = {
  accept: 'text/html',
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0.0.0 Safari/537.36',
}
export const JSON_ONLY = { accept: 'application/json' }

export interface Served {
  app: FastifyInstance
  log: Log
  get(url: string, headers?: Record<string, string>): Promise<LightMyRequestResponse>
  /** Returns the failures of a request that has its response. */
  failuresOf(response: LightMyRequestResponse): LogLine[]
}

/** Serves a built site in this process and closes it with the test. */
export async function serve(
  t: Pick<Test, 'teardown'>,
  dir: string,
  options: Partial<CreateServerOptions> = {},
): Promise<Served> {
  const log = createLog()
  // A busy machine may take longer than the default to start.
  const timeouts = { startMs: 60_000, ...options.timeouts }
  const app = await createServer({ dir, logger: log.logger, ...options, timeouts })
  t.teardown(() => app.close())
  return createServed(app, log)
}

/** Returns what tests use of an instance and its log. */
export function createServed(app: FastifyInstance, log: Log): Served {
  return {
    app,
    log,
    get: (url, headers = HTML) => app.inject({ method: 'GET', url, headers }),
    failuresOf: ({ headers }) => log.errors().filter(({ reqId }) => reqId === headers['x-request-id']),
  }
}

/** Returns the build of a site in the form that `createInstance` takes. */
export function builtFiles(dir: string): BuildFiles {
  const folder = buildFolder(dir)
  return { folder, manifest: readManifest(folder) }
}

/** Returns the first half of a response's digest: the fingerprint. */
export function fingerprintOfResponse({ headers }: LightMyRequestResponse): string {
  return String(headers['x-error-digest']).slice(0, 8)
}
