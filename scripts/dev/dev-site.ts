import type { IncomingMessage, ServerResponse } from 'node:http'
import { resolve } from 'node:path'
import type { Duplex } from 'node:stream'
import type { FastifyServerOptions } from 'fastify'
import { createInstance } from '../../src/server/create-server.ts'
import type { SourceFrame } from '../../src/server/errors/failure-record.ts'
import { createEnvFiles } from '../../src/server/options/env-files.ts'
import type { Options } from '../../src/server/options/options.ts'
import { resolveOptions } from '../../src/server/options/resolve-options.ts'
import type { DevUpdate } from '../../src/shared/wire/dev-protocol.ts'
import { BuildError, type BuildProblem } from '../build-problem.ts'
import { withDevLedger } from '../dev-ledger.ts'
import { createAppSlot } from './app-slot.ts'
import type { Change } from './change-batch.ts'
import { createDevEngine, type DevChange, type DevState } from './dev-engine.ts'
import { fromFailure, fromStart } from './dev-errors.ts'
import { createDevFailureStores } from './dev-failure-stores.ts'
import { type DevFailure, DOES_NOT_BUILD, describeStart, findSource } from './dev-failures.ts'
import { createErrorDisplay, type ErrorDisplayInput } from './error-display.ts'
import { createEditorRoute } from './open-editor.ts'
import { createResponder } from './respond-in-dev.ts'
import { createUpdateChannel } from './update-channel.ts'
import { createUpdateLoop } from './update-loop.ts'
import { ENV_FILE, isRelevant, SETTINGS, watchSite } from './watch-site.ts'

/** Separate from the folder of `hydrant build`, so that a site can be developed while its build is served. */
const DEV_FOLDER = '.hydrant-dev'

export interface DevSiteInput extends Pick<ErrorDisplayInput, 'onErrors' | 'formatErrors'> {
  dir: string
  flags: Record<string, string | undefined>
  env: Record<string, string | undefined>
  createLogging(options: Options): Pick<FastifyServerOptions, 'logger' | 'loggerInstance'>
  /** Called when a change has been applied, and when the site has been read. */
  onReady(update: AppliedUpdate): void
  /** Called before packages are bundled, which can take seconds. */
  onBundle(): void
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
  /** Shows an error that was thrown outside of any request. Rewrites its stack to positions in the source. */
  report(thrown: unknown): void
  close(): Promise<void>
}

/**
 * Resolves when the configuration has been read. The first requests wait for the site. Throws HYD_OPTION_… for flags and
 * the environment.
 */
export async function createDevSite(input: DevSiteInput): Promise<DevSite> {
  const { dir } = input
  const env = createEnvFiles(dir, input.env)
  env.load()
  let options = readOptions(input, {})
  let state: DevState | null = null
  const base = () => options.base
  const configured = createSignal()
  const display = createErrorDisplay({ ...input, base })
  const channel = createUpdateChannel(display.list.current)
  display.list.subscribe((list) => channel.sendErrors(list))
  const failureStores = createDevFailureStores(dir, (failure) =>
    display.show([fromFailure(failure, state?.live.hasFailed(failure.route))]),
  )
  const engine = createDevEngine({
    ...{ dir, folder: DEV_FOLDER, base, onBundle: input.onBundle, position: channel.position },
    onConfig(config) {
      options = readOptions(input, config)
      configured.resolve()
    },
  })
  const findPlace = (thrown: unknown) => findSource(thrown, engine.mapper, state?.manifest.serverPlugin ?? null)
  const show = (title: string, error: unknown) =>
    display.show(fromStart({ title, error, source: findPlace(error) }, dir))
  const slot = createAppSlot((error) => show('The site does not stop', error))

  /** Creates a server for the state, unless the present one can go on. Returns why it does not start. */
  async function serve({ live, manifest }: DevState, isNewServer: boolean): Promise<DevFailure | null> {
    if (!isNewServer && slot.isFilled()) return null
    try {
      const { app } = await createInstance({
        // The development server checks the hosts itself: it also responds under the names of this machine.
        ...{ dir, folder: engine.folder, options: { ...options, hosts: [] }, live },
        logging: input.createLogging(options),
        getStore: (log) => failureStores.find(options, log),
      })
      slot.put(app)
      return null
    } catch (error) {
      slot.put(null)
      return describeStart(error, engine.mapper, manifest.serverPlugin)
    }
  }

  async function apply(changes: readonly Change[]): Promise<void> {
    const startedAt = performance.now()
    const paths = changes.map(({ path }) => path)
    if (paths.some((path) => ENV_FILE.test(path))) {
      env.load()
      engine.restart()
    }
    const last = display.page()
    const wasBroken = last !== null
    const isStructural = wasBroken || changes.some(isStructure)
    let change: DevChange
    try {
      change = await engine.change(paths, isStructural)
    } catch (error) {
      return display.fail({ title: DOES_NOT_BUILD, error, source: null })
    }
    state = change.state
    const failure = await serve(state, change.isNewServer)
    if (failure) return display.fail(failure)
    display.recover()
    if (change.isScanned) watcher.include(outsideFiles(dir, engine.inputs()))
    input.onReady({ warnings: state.warnings, durationMs: performance.now() - startedAt, changed: paths })
    // No page has been sent yet when the site has been read for the first time.
    if (last === '') return
    if (change.update === null) channel.send({ type: 'reload' })
    else if (wasBroken || change.isChanged || hasEffect(change.update))
      channel.send({ type: 'update', ...change.update })
  }

  // An update looks at the changed modules only.
  async function rest(): Promise<void> {
    if (display.page() !== null) return
    const problems = await engine.check()
    if (problems.length > 0)
      await display.fail({ title: DOES_NOT_BUILD, error: new BuildError(problems), source: null })
  }

  const isStructure = ({ kind, path }: Change) =>
    kind !== 'change' || SETTINGS.test(path) || state?.structure.config.inputs.includes(path) === true
  const loop = createUpdateLoop({ apply, rest })
  const watcher = await watchSite(dir, {
    isWanted: (change) => isRelevant(change, display.page() === null ? engine.isInput : null),
    onChange: (changes) => loop.add(changes),
  })
  loop.add([{ kind: 'add', path: '' }])
  // Requests wait for the rest.
  await Promise.race([configured.done, loop.settled()])

  async function settled() {
    await watcher.settled()
    await loop.settled()
  }

  const openEditor = createEditorRoute(dir)
  return {
    options: () => options,
    respond: createResponder({ channel, openEditor, engine, display, slot, base, settled, state: () => state }),
    upgrade: slot.upgrade,
    findSource: findPlace,
    report: (thrown) => show('An error outside of any request', thrown),
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

function createSignal() {
  let resolve = () => {}
  const done = new Promise<void>((resolveDone) => {
    resolve = resolveDone
  })
  return { done, resolve }
}

/** Whether an update changes anything: a file may be saved without a change. */
function hasEffect({ modules, styles, files, data }: Omit<DevUpdate, 'type'>): boolean {
  return modules.length > 0 || styles.length > 0 || files.length > 0 || data
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
