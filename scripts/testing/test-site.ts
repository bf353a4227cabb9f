import { resolve } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { CreateServerOptions } from '../../src/server/create-server.ts'
import type { FailureRecord } from '../../src/server/errors/failure-record.ts'
import { buildOnce, listInputs } from './build-once.ts'
import { createVisitor, type Visitor } from './visitor.ts'
import { watchFiles } from './watch-files.ts'

export interface TestSiteOptions extends Omit<CreateServerOptions, 'dir' | 'buildDir'> {
  /** The site's folder (the working directory). */
  dir?: string
  /** Whether to build the site when its files have changed since the last build for tests (true). */
  build?: boolean
  /** The public origin of the site (`http://localhost`). */
  origin?: string
}

/** A site under test. It is a visitor itself, with cookies of its own. */
export interface TestSite extends Visitor {
  /** The Fastify instance that serves the site, for example to `listen` for a browser. */
  app: FastifyInstance
  /** The failures so far, the oldest first. A visitor of a page sees only a digest. */
  failures: readonly FailureRecord[]
  /** Returns another visitor, without cookies. */
  visitor(): Visitor
  /** Closes the server. */
  close(): Promise<void>
}

/**
 * Serves a site for tests, without a port. First builds it, unless nothing has changed. There is no ledger and no log,
 * unless these options say otherwise. Sets NODE_ENV to `production`, because the build is one for production. Throws
 * HYD_TEST_BUILD if the site does not build, and what `createServer` throws.
 */
export async function createTestSite(given: TestSiteOptions = {}): Promise<TestSite> {
  const { dir = '.', build = true, origin, onFailure, ...options } = given
  // Decides which build of React is loaded. So React is imported after it.
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
