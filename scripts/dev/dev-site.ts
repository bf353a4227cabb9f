import type { IncomingMessage, ServerResponse } from 'node:http'
import { resolve } from 'node:path'
import type { Duplex } from 'node:stream'
import type { FastifyServerOptions } from 'fastify'
import { createInstance } from '../../src/server/create-server.ts'
import type { FailureRecord, SourceFrame } from '../../src/server/errors/failure-record.ts'
import type { Options } from '../../src/server/options/options.ts'
import { resolveOptions } from '../../src/server/options/resolve-options.ts'
import { createSiteBuilder, type SiteBuild } from '../build/site-builder.ts'
import { withDevLedger } from '../dev-ledger.ts'
import { createAppSlot } from './app-slot.ts'
import { createDevFailureStores } from './dev-failure-stores.ts'
import { type DevFailure, DOES_NOT_BUILD, describeStart, findSource } from './dev-failures.ts'
import { createErrorPage } from './error-page.ts'
import { createRebuildLoop } from './rebuild-loop.ts'
import { createReloadChannel } from './reload-channel.ts'
import { isRelevant, watchSite } from './watch-site.ts'

/** Separate from the folder of `hydrant build`, so that a site can be developed while its build is served. */
const DEV_FOLDER = '.hydrant-dev'

export interface DevSiteInput {
  dir: string
  flags: Record<string, string | undefined>
  env: Record<string, string | undefined>
  createLogging(options: Options): Pick<FastifyServerOptions, 'logger' | 'loggerInstance'>
  /** Called after each build that was started. `changed` lists the changed files. */
  onReady(build: SiteBuild, changed: readonly string[]): void
  /** Called when the site does not build or start. Returns the text that the browser shows. */
  onFailure(failure: DevFailure): string
  /** Called after a failure in a request or in a browser, when its line is logged. */
  onFailed(failure: FailureRecord): void
}

/** A site that is rebuilt whenever it changes. */
export interface DevSite {
  /** Returns the options of the last build; before the first build, without those of the configuration. */
  options(): Options
  respond(request: IncomingMessage, response: ServerResponse): void
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /**
   * Returns the place in the source that threw an error outside of any request; null when it is unknown. Rewrites the
   * error's stack to positions in the source.
   */
  findSource(thrown: unknown): SourceFrame | null
  close(): Promise<void>
}

/** Resolves after the first build, also when it failed. Throws HYD_OPTION_… for flags and the environment. */
export async function createDevSite(input: DevSiteInput): Promise<DevSite> {
  const { dir } = input
  let options = readOptions(input, {})
  let inputs: ReadonlySet<string> | null = null
  let last: SiteBuild | null = null
  let page = ''
  let changed: string[] = []
  const findLastSource = (thrown: unknown) => last && findSource(thrown, last)
  const slot = createAppSlot((error) => {
    input.onFailure({ title: 'The site does not stop', error, source: findLastSource(error) })
  })
  const channel = createReloadChannel()
  const failureStores = createDevFailureStores(dir, input.onFailed)
  const builder = createSiteBuilder({ dir, mode: 'development', folder: DEV_FOLDER })

  async function take(build: SiteBuild) {
    last = build
    options = readOptions(input, build.config)
    const { app } = await createInstance({
      // The development server checks the hosts itself: it also responds under the names of this machine.
      ...{ dir, folder: build.folder, options: { ...options, hosts: [] }, logging: input.createLogging(options) },
      getStore: (log) => failureStores.find(options, log),
    })
    slot.put(app)
    inputs = new Set(build.inputs)
    watcher.include(outsideFiles(dir, build.inputs))
    input.onReady(build, changed)
  }

  async function start(build: SiteBuild): Promise<DevFailure | null> {
    try {
      await take(build)
      return null
    } catch (error) {
      return describeStart(error, build)
    }
  }

  const loop = createRebuildLoop(builder, async (outcome) => {
    const failure =
      'error' in outcome ? { title: DOES_NOT_BUILD, error: outcome.error, source: null } : await start(outcome.build)
    if (failure) {
      inputs = null
      slot.put(null)
      page = createErrorPage(failure.title, input.onFailure(failure), options.base)
    }
    changed = []
    channel.announce()
  })
  const watcher = await watchSite(dir, {
    isWanted: (kind, path) => isRelevant(kind, path, inputs),
    onChange(paths) {
      changed.push(...paths)
      loop.request()
    },
  })
  loop.request()
  await loop.settled()

  return {
    options: () => options,
    respond(request, response) {
      if (channel.respond(request, response)) return
      if (slot.isFilled()) slot.serve(request, response)
      else respondWithFailure(request, response, page)
    },
    upgrade: slot.upgrade,
    findSource: findLastSource,
    async close() {
      await watcher.close()
      await loop.close()
      channel.close()
      await slot.close()
      await failureStores.close()
    },
  }
}

function readOptions({ flags, env }: DevSiteInput, config: Record<string, unknown>): Options {
  return withDevLedger(resolveOptions({ flags, env, config: { host: 'localhost', ...config } }))
}

/** Lists the modules of a workspace outside the site's folder. Packages are left out: they rarely change. */
function outsideFiles(dir: string, inputs: readonly string[]): string[] {
  return inputs
    .filter((path) => path.startsWith('../') && !path.includes('node_modules/'))
    .map((path) => resolve(dir, path))
}

function respondWithFailure({ method }: IncomingMessage, response: ServerResponse, page: string) {
  response.writeHead(500, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
  response.end(method === 'HEAD' ? undefined : page)
}
