import type { IncomingMessage, ServerResponse } from 'node:http'
import { resolve } from 'node:path'
import type { Duplex } from 'node:stream'
import type { FastifyServerOptions } from 'fastify'
import { createInstance } from '../../src/server/create-server.ts'
import type { Options } from '../../src/server/options/options.ts'
import { resolveOptions } from '../../src/server/options/resolve-options.ts'
import type { DevError } from '../../src/shared/wire/dev-protocol.ts'
import { createSiteBuilder, type SiteBuild } from '../build/site-builder.ts'
import { withDevLedger } from '../dev-ledger.ts'
import { createAppSlot } from './app-slot.ts'
import { fromFailure, fromStart } from './dev-errors.ts'
import { createDevFailureStores } from './dev-failure-stores.ts'
import { type DevFailure, DOES_NOT_BUILD, describeStart, findSource } from './dev-failures.ts'
import { createErrorList } from './error-list.ts'
import { buildErrorScript, createErrorPage } from './error-page.ts'
import { createEditorRoute } from './open-editor.ts'
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
  /**
   * Called when the site does not build or start, and after a failure in a request or in a browser.
   *
   * @param isRepeat True when the same errors are displayed already.
   */
  onErrors(errors: readonly DevError[], isRepeat: boolean): void
  /** Formats errors for clients without JavaScript. */
  formatErrors(errors: readonly DevError[]): string
}

/** A site that is rebuilt whenever it changes. */
export interface DevSite {
  /** Returns the options of the last build; before the first build, without those of the configuration. */
  options(): Options
  respond(request: IncomingMessage, response: ServerResponse): void
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Shows an error that was thrown outside of any request. Rewrites its stack to positions in the source. */
  report(thrown: unknown): void
  close(): Promise<void>
}

/** Resolves after the first build, also when it failed. Throws HYD_OPTION_… for flags and the environment. */
export async function createDevSite(input: DevSiteInput): Promise<DevSite> {
  const { dir } = input
  let options = readOptions(input, {})
  let inputs: ReadonlySet<string> | null = null
  let last: SiteBuild | null = null
  let page = ''
  let script: string | undefined
  let changed: string[] = []
  const describe = (title: string, error: unknown) =>
    fromStart({ title, error, source: last && findSource(error, last) }, dir)
  const errors = createErrorList()
  const slot = createAppSlot((error) => {
    show(describe('The site does not stop', error))
  })
  const channel = createReloadChannel(errors.current)
  errors.subscribe(channel.sendErrors)
  const openEditor = createEditorRoute(dir)
  const failureStores = createDevFailureStores(dir, (failure) => show([fromFailure(failure)]))
  const builder = createSiteBuilder({ dir, mode: 'development', folder: DEV_FOLDER })

  function show(list: readonly DevError[]) {
    const isRepeat = list.every(({ id }) => errors.has(id))
    errors.add(list)
    input.onErrors(list, isRepeat)
  }

  async function take(build: SiteBuild) {
    last = build
    options = readOptions(input, build.config)
    const { app } = await createInstance({
      ...{ dir, folder: build.folder, options, logging: input.createLogging(options) },
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
    errors.clear()
    if (failure) {
      inputs = null
      slot.put(null)
      const list = fromStart(failure, dir)
      show(list)
      script ??= await buildErrorScript()
      page = createErrorPage(list, input.formatErrors(list), options.base, script)
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
      if (channel.respond(request, response) || openEditor(request, response)) return
      // The errors of a page are those of the last time that it was loaded.
      if (request.headers['sec-fetch-dest'] === 'document') errors.clear({ path: request.url?.split('?')[0] ?? '' })
      if (slot.isFilled()) slot.serve(request, response)
      else respondWithFailure(request, response, page)
    },
    upgrade: slot.upgrade,
    report: (thrown) => show(describe('An error outside of any request', thrown)),
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
  return withReports(withDevLedger(resolveOptions({ flags, env, config: { host: 'localhost', ...config } })))
}

// The overlay shows failures in the browser only when it reports them.
function withReports(options: Options): Options {
  return { ...options, reports: { ...options.reports, enabled: true, respectPrivacySignals: false } }
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
