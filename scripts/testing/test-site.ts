import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { CreateServerOptions } from '../../src/server/create-server.ts'
import type { FailureRecord } from '../../src/server/errors/failure-record.ts'
import { buildOnce, listInputs } from './build-once.ts'
import { createVisitor, type Visitor } from './visitor.ts'

/** Options of `createTestSite`: those of `createServer`, and these. */
export interface TestSiteOptions extends Omit<CreateServerOptions, 'dir' | 'buildDir'> {
  /** The site's folder (the working directory). */
  dir?: string
  /**
   * Whether to build the site if its files have changed since the last build for tests. With false, the tests use the
   * build that exists; HYD_BUILD_MISSING if there is none (true).
   */
  build?: boolean
  /** The public origin of the site (`http://localhost`). */
  origin?: string
}

/** A site under test. It is a visitor itself, with cookies of its own. */
export interface TestSite extends Visitor {
  /** The Fastify instance that serves the site. For tests in a browser, call its `listen`. */
  app: FastifyInstance
  /** The failures so far, the oldest first, with their errors and stacks. Visitors only see digests. */
  failures: readonly FailureRecord[]
  /** Returns another visitor, without cookies. */
  visitor(): Visitor
  /** Closes the server. */
  close(): Promise<void>
}

/**
 * Serves a site for tests, without a port. If the site's files have changed, it builds the site first. There is no
 * ledger and no log, unless these options turn them on. Sets `NODE_ENV` to `production`, because it makes a
 * production build. Rejects with HYD_TEST_BUILD if the site does not build, and with the errors of `createServer`.
 */
export async function createTestSite(given: TestSiteOptions = {}): Promise<TestSite> {
  const { dir = '.', build = true, origin, onFailure, ...options } = given
  // `NODE_ENV` selects React's build, so React is imported after this.
  process.env.NODE_ENV = 'production'
  if (build) {
    await buildOnce(dir)
    watchFiles(listInputs(resolve(dir)))
  }
  const { createServer } = await import('../../src/server/index.ts')
  const failures: FailureRecord[] = []
  const app = await createServer({
    ledger: false,
    logger: false,
    ...options,
    dir,
    onFailure(failure) {
      failures.push(failure)
      return onFailure?.(failure)
    },
  })
  const visitor = () => createVisitor(app, origin)
  return { ...visitor(), app, failures, visitor, close: () => app.close() }
}

/** `node --test --watch` sets this variable for the processes of tests. They report the files to watch. */
const VARIABLE = 'WATCH_REPORT_DEPENDENCIES'

/**
 * Makes `node --test --watch` run the test again after a change of one of these files. It no longer does so for
 * modules that are imported after this call. Otherwise Node.js would watch the site's build instead of the sources,
 * and would stop each run that builds.
 */
function watchFiles(files: readonly string[]): void {
  if (!process.env[VARIABLE]) return
  // Node.js ignores the rest of the list after a file that does not exist.
  process.send?.({ 'watch:require': files.filter((file) => existsSync(file)) })
  delete process.env[VARIABLE]
}
