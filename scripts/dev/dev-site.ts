import type { IncomingMessage, ServerResponse } from 'node:http'
import { resolve } from 'node:path'
import type { Duplex } from 'node:stream'
import type { FastifyServerOptions } from 'fastify'
import { createInstance } from '../../src/server/create-server.ts'
import type { FailureRecord, SourceFrame } from '../../src/server/errors/failure-record.ts'
import { createEnvFiles } from '../../src/server/options/env-files.ts'
import type { Options } from '../../src/server/options/options.ts'
import { resolveOptions } from '../../src/server/options/resolve-options.ts'
import { BuildError, type BuildProblem } from '../build-problem.ts'
import { withDevLedger } from '../dev-ledger.ts'
import { createAppSlot } from './app-slot.ts'
import { createDevEngine, type DevChange, type DevState } from './dev-engine.ts'
import { createDevFailureStores } from './dev-failure-stores.ts'
import { type DevFailure, DOES_NOT_BUILD, describeStart, findSource } from './dev-failures.ts'
import { createErrorPage } from './error-page.ts'
import { serveModule } from './serve-modules.ts'
import { createUpdateChannel } from './update-channel.ts'
import { createUpdateLoop } from './update-loop.ts'
import { type Change, ENV_FILE, isRelevant, SETTINGS, watchSite } from './watch-site.ts'

/** Separate from the folder of `hydrant build`, so that a site can be developed while its build is served. */
const DEV_FOLDER = '.hydrant-dev'

export interface DevSiteInput {
  dir: string
  flags: Record<string, string | undefined>
  env: Record<string, string | undefined>
  createLogging(options: Options): Pick<FastifyServerOptions, 'logger' | 'loggerInstance'>
  /** Called when a change has been applied, and when the site has been read. */
  onReady(update: AppliedUpdate): void
  /** Called before packages are bundled, which can take seconds. */
  onBundle(): void
  /** Called when the site does not build or start. Returns the text that the browser shows. */
  onFailure(failure: DevFailure): string
  /** Called after a failure in a request or in a browser, when its line is logged. */
  onFailed(failure: FailureRecord): void
}

export interface AppliedUpdate {
  /** esbuild's warnings, in the form of errors. */
  warnings: readonly BuildProblem[]
  durationMs: number
  /** The changed files, relative to the site. */
  changed: readonly string[]
}

/** A site that is kept up to date whenever it changes. */
export interface DevSite {
  /** Returns the options of the last build; before the first build, without those of the configuration. */
  options(): Options
  respond(request: IncomingMessage, response: ServerResponse): Promise<void>
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
  const env = createEnvFiles(dir, input.env)
  env.load()
  let options = readOptions(input, {})
  let state: DevState | null = null
  let page: string | null = ''
  const channel = createUpdateChannel()
  const failureStores = createDevFailureStores(dir, input.onFailed)
  const engine = createDevEngine({ dir, folder: DEV_FOLDER, base: () => options.base, onBundle: input.onBundle })
  const findLastSource = (thrown: unknown) => findSource(thrown, engine.mapper, state?.manifest.serverPlugin ?? null)
  const slot = createAppSlot((error) => {
    input.onFailure({ title: 'The site does not stop', error, source: findLastSource(error) })
  })

  async function startServer({ live, structure }: DevState) {
    options = readOptions(input, structure.config.config)
    const { app } = await createInstance({
      ...{ dir, folder: engine.folder, options, logging: input.createLogging(options), live },
      getStore: (log) => failureStores.find(options, log),
    })
    slot.put(app)
  }

  function fail(failure: DevFailure) {
    page = createErrorPage(failure.title, input.onFailure(failure), options.base)
  }

  async function apply(changes: readonly Change[]): Promise<void> {
    const startedAt = performance.now()
    const paths = changes.map(({ path }) => path)
    if (paths.some((path) => ENV_FILE.test(path))) {
      env.load()
      engine.restart()
    }
    const isStructural = page !== null || changes.some(({ kind, path }) => kind !== 'change' || isStructure(path))
    const wasBroken = page !== null && page !== ''
    let change: DevChange
    try {
      change = await engine.change(paths, isStructural)
    } catch (error) {
      fail({ title: DOES_NOT_BUILD, error, source: null })
      if (!wasBroken) return
      return channel.send({ type: 'reload' })
    }
    state = change.state
    try {
      if (change.isNewServer || !slot.isFilled()) await startServer(state)
    } catch (error) {
      slot.put(null)
      return fail(describeStart(error, engine.mapper, state.manifest.serverPlugin))
    }
    page = null
    if (change.isScanned) watcher.include(outsideFiles(dir, engine.inputs()))
    input.onReady({ warnings: state.warnings, durationMs: performance.now() - startedAt, changed: paths })
    channel.send(change.update ? { type: 'update', ...change.update } : { type: 'reload' })
  }

  // An update looks at the changed modules only.
  async function rest(): Promise<void> {
    if (page !== null) return
    const problems = await engine.check()
    if (problems.length > 0) fail({ title: DOES_NOT_BUILD, error: new BuildError(problems), source: null })
  }

  const isStructure = (path: string) => SETTINGS.test(path) || state?.structure.config.inputs.includes(path) === true
  const loop = createUpdateLoop({ apply, rest })
  const watcher = await watchSite(dir, {
    isWanted: (change) => isRelevant(change, page === null ? engine.isInput : null),
    onChange: (changes) => loop.add(changes),
  })
  loop.add([{ kind: 'add', path: '' }])
  await loop.settled()

  async function settled() {
    await watcher.settled()
    await loop.settled()
  }

  return {
    options: () => options,
    async respond(request, response) {
      if (channel.respond(request, response)) return
      await settled()
      if (state && (await serveModule(request, response, engine, state, options.base))) return
      if (page === null) slot.serve(request, response)
      else respondWithFailure(request, response, page)
    },
    upgrade: slot.upgrade,
    findSource: findLastSource,
    async close() {
      await watcher.close()
      await loop.close()
      await engine.dispose()
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
