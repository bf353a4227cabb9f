import { realpathSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { resolve } from 'node:path'
import type { Duplex } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import type { SourceFrame } from '../../src/server/errors/failure-record.ts'
import { DEV_LEDGER } from '../../src/server/ledger/ledger.ts'
import { createEnvFiles } from '../../src/server/options/env-files.ts'
import type { Options } from '../../src/server/options/options.ts'
import { type OptionSources, resolveOptions, withoutServiceLinks } from '../../src/server/options/resolve-options.ts'
import { isOutside } from '../../src/server/util/paths.ts'
import { pickPublic } from '../../src/shared/public-env.ts'
import type { DevReload, DevUpdate } from '../../src/shared/wire/dev-protocol.ts'
import { requireEsbuild } from '../build/esbuild/bundler.ts'
import { BuildError, type BuildProblem, filesToWatch } from '../build-problem.ts'
import { createDevEngine, type DevChange, type DevEngine } from './engine/dev-engine.ts'
import { fromConsole, fromFailure, fromStart } from './errors/dev-errors.ts'
import { type BrokenPart, type DevFailure, DOES_NOT_BUILD, findSource } from './errors/dev-failures.ts'
import { createErrorDisplay, type ErrorDisplay, type ErrorDisplayInput } from './errors/error-display.ts'
import { createConsoleRoute } from './http/console-route.ts'
import { createEditorRoute } from './http/open-editor.ts'
import { createResponder } from './http/respond-in-dev.ts'
import { createSiteApp, type SiteAppInput } from './http/site-app.ts'
import { createUpdateChannel } from './http/update-channel.ts'
import { type Change, createUpdateLoop, type UpdateLoopInput } from './watch/change-batch.ts'
import { ENV_FILE, isRelevant, SETTINGS, watchSite } from './watch/watch-site.ts'

export interface DevSiteInput
  extends DevOptionsInput,
    Pick<ErrorDisplayInput, 'onErrors' | 'formatErrors'>,
    Pick<SiteAppInput, 'createLogging'> {
  /** Called when a change has been applied, and when the site has been read. */
  onReady(update: AppliedUpdate): void
  /** Called with all warnings about the site: after each change, and when the whole site was checked. */
  onWarnings(warnings: readonly BuildProblem[]): void
  /** Called before packages are bundled, which can take seconds. */
  onBundle(): void
  /** Called with a text about the browser, for the terminal. */
  onNote(text: string): void
}

export interface AppliedUpdate {
  durationMs: number
  /** The changed files, relative to the site. */
  changed: readonly string[]
}

/** A site that is kept up to date whenever it changes. */
export interface DevSite extends Pick<DevOptions, 'isDefaultPort' | 'sources'> {
  /** Returns the options of the last build; before the first build, without those of the configuration. */
  options(): Options
  respond(request: IncomingMessage, response: ServerResponse): Promise<void>
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Returns the place that threw an error outside of any request, or null. Maps the error's stack. */
  findSource(thrown: unknown): SourceFrame | null
  /** Shows an error that was thrown outside of any request. Rewrites its stack to positions in the source. */
  report(thrown: unknown): void
  close(): Promise<void>
}

/** Resolves with the configuration. The first requests wait. Throws HYD_OPTION_… and HYD_ESBUILD_MISSING. */
export async function createDevSite(input: DevSiteInput): Promise<DevSite> {
  await requireEsbuild()
  // Paths relative to a folder that is reached through a symbolic link would lead elsewhere.
  const dir = realpathSync(input.dir)
  const options = createDevOptions(input)
  const base = () => options.current().base
  const display = createErrorDisplay({ ...input, base })
  const channel = createUpdateChannel(display.list.current)
  display.list.subscribe((list) => channel.sendErrors(list))
  const engine = createDevEngine({
    dir,
    base,
    position: channel.position,
    variables: options.variables,
    onBundle: input.onBundle,
    onConfig: options.configure,
  })
  const findPlace = (thrown: unknown) =>
    findSource(thrown, engine.mapper, engine.state()?.manifest.serverPlugin ?? null)
  const show = (title: string, error: unknown) =>
    display.show(fromStart({ title, error, source: findPlace(error) }, dir))
  const app = createSiteApp({
    dir,
    engine,
    brokenPage: display.brokenPage,
    options: options.current,
    createLogging: input.createLogging,
    onFailure(failure) {
      const state = engine.state()
      const routes = state?.manifest.routes.map(({ id }) => id) ?? []
      const isLoading = state?.live.hasFailed(failure.route) ?? false
      display.show([fromFailure(failure, { dir, routes, isLoading })])
    },
    onCloseError: (error) => show('The site does not stop', error),
  })
  const applier = createChangeApplier({
    engine,
    display,
    serve: app.serve,
    onEnv() {
      const change = options.loadEnv()
      // A file is often saved without a change of its variables. A program that creates one writes an empty file first.
      if (change !== 'none') engine.clear()
      return change === 'browser'
    },
    onWarnings: input.onWarnings,
    watch: (paths) => watcher.include(outsideFiles(dir, paths)),
    onApplied({ message, paths, durationMs, isReported }) {
      // The site can be served for the first time, although a part of it may be broken.
      const isFirst = paths.every((path) => path === '')
      if (isFirst || !isReported) input.onReady({ durationMs, changed: paths })
      if (message) channel.send(message)
    },
  })
  const loop = createUpdateLoop(applier)
  const watcher = await watchSite(dir, {
    isWanted: (change) => isRelevant(change, engine.isInput, display.page() !== null),
    onChange: loop.add,
  })
  loop.add([{ kind: 'add', path: '' }])
  // Requests wait for the rest.
  await Promise.race([options.configured, loop.settled()])

  async function settled() {
    await watcher.settled()
    await loop.settled()
  }

  return {
    options: options.current,
    isDefaultPort: options.isDefaultPort,
    sources: options.sources,
    respond: createResponder({
      channel,
      openEditor: createEditorRoute(dir),
      engine,
      display,
      slot: app.slot,
      options: options.current,
      settled,
      onNote: input.onNote,
      receiveText: createConsoleRoute((text) => input.onErrors([fromConsole(text, engine.browserMapper())], false)),
    }),
    upgrade: app.slot.upgrade,
    findSource: findPlace,
    report: (thrown) => show('An error outside of any request', thrown),
    async close() {
      await watcher.close()
      await loop.close()
      await engine.dispose()
      channel.close()
      await app.close()
    },
  }
}

/** Lists the modules of a workspace outside the site's folder. Packages are left out: they rarely change. */
function outsideFiles(dir: string, paths: readonly string[]): string[] {
  return paths.filter((path) => isOutside(path) && !path.includes('node_modules/')).map((path) => resolve(dir, path))
}

export interface DevOptionsInput {
  dir: string
  flags: Record<string, string | undefined>
  env: Record<string, string | undefined>
}

/** The options of a site in development. They change with its configuration and its environment. */
type DevOptions = ReturnType<typeof createDevOptions>

/** The variables that have changed: none, some that only the server has, or some that browsers get, too. */
export type EnvChange = 'none' | 'server' | 'browser'

/** Throws HYD_OPTION_… for flags and the environment. */
export function createDevOptions({ dir, flags, env }: DevOptionsInput) {
  const files = createEnvFiles(dir, 'development', env)
  files.load()
  const read = (config: Record<string, unknown>) =>
    forDevelopment(resolveOptions({ flags, env, config: { host: 'localhost', serverTiming: true, ...config } }))
  let options = read({})
  let configuration: Record<string, unknown> = {}
  let resolve = () => {}
  const configured = new Promise<void>((done) => {
    resolve = done
  })
  return {
    /** Returns the current options; before `configure`, without those of the configuration. */
    current: (): Options => options,
    /** Resolves when the first configuration has been used. */
    configured,
    /** Returns whether the port is the default: no flag, no variable and no configuration sets it. */
    isDefaultPort: () =>
      configuration.port === undefined && !flags.port && !env.PORT && !withoutServiceLinks(env).HYDRANT_PORT,
    /** Returns the flags, the variables and the configuration that the options come from. */
    sources: (): OptionSources => ({ flags, env, config: configuration }),
    /** Uses the site's configuration. Throws HYD_OPTION_…. */
    configure(config: Record<string, unknown>) {
      options = read(config)
      configuration = config
      resolve()
    },
    /** Returns the variables of files as a text. */
    variables: () => JSON.stringify(files.added()),
    /** Reads the files with environment variables. */
    loadEnv(): EnvChange {
      const before = { ...env }
      files.load()
      if (isDeepStrictEqual(before, { ...env })) return 'none'
      return isDeepStrictEqual(pickPublic(before), pickPublic(env)) ? 'server' : 'browser'
    },
  }
}

function forDevelopment(options: Options): Options {
  return {
    ...options,
    // A ledger that the options name belongs to production.
    ledger: options.ledger === false ? false : DEV_LEDGER,
    // The overlay shows failures in the browser only when it reports them.
    reports: { ...options.reports, enabled: true, respectPrivacySignals: false },
  }
}

export interface AppliedChange extends DevChange {
  /** The changed files, relative to the site. */
  paths: readonly string[]
  durationMs: number
  /** The message to open pages; null if the change does not affect them. */
  message: DevUpdate | DevReload | null
  /** Whether problems were displayed in the terminal. */
  isReported: boolean
}

export interface ChangeApplierInput {
  engine: DevEngine
  display: ErrorDisplay
  /** Called when a file with variables has changed. Returns whether variables of open pages have. */
  onEnv(): boolean
  /** Watches also these files. Paths are relative to the site. */
  watch(paths: readonly string[]): void
  /** Serves the state of the change. Returns why that is not possible. */
  serve(change: DevChange): Promise<DevFailure | null>
  onApplied(change: AppliedChange): void
  /** Called with all warnings about the site. */
  onWarnings(warnings: readonly BuildProblem[]): void
}

/** Applies changes to a site. Displays why the site does not build or start, or reports that the change is applied. */
function createChangeApplier(input: ChangeApplierInput): UpdateLoopInput {
  const { engine, display } = input
  async function failBuild(error: unknown) {
    input.watch(engine.inputs())
    if (error instanceof BuildError) input.watch(error.problems.flatMap(filesToWatch))
    await display.fail({ title: DOES_NOT_BUILD, error, source: null })
  }

  function showBroken(broken: readonly BrokenPart[], paths: readonly string[] | null): Promise<boolean> {
    input.watch(broken.flatMap(({ problem }) => filesToWatch(problem)))
    return display.recover(broken, paths)
  }

  const isStructural = ({ kind, path }: Change) =>
    kind !== 'change' ||
    SETTINGS.test(path) ||
    ENV_FILE.test(path) ||
    engine.state()?.structure.config.inputs.includes(path) === true

  /** Whether open pages have old variables. It stays true while changes cannot be applied. */
  let isEnvStale = false

  return {
    async apply(changes) {
      const startedAt = performance.now()
      const paths = changes.map(({ path }) => path)
      try {
        if (paths.some((path) => ENV_FILE.test(path)) && input.onEnv()) isEnvStale = true
        const last = display.page()
        const wasBroken = last !== null
        const hadBroken = display.hasBroken()
        const change = await engine.change(paths, wasBroken || changes.some(isStructural))
        if (change.isScanned) input.watch(engine.inputs())
        const failure = await input.serve(change)
        if (failure) return await display.fail(failure)
        const areNew = await showBroken(change.broken, paths)
        // No page has been sent yet when the site has been read for the first time.
        const message = last === '' ? null : isEnvStale ? RELOAD : messageFor(change, wasBroken || hadBroken)
        isEnvStale = false
        input.onWarnings(change.state.warnings)
        const durationMs = performance.now() - startedAt
        input.onApplied({ ...change, paths, durationMs, message, isReported: areNew })
      } catch (error) {
        await failBuild(error)
      }
    },
    // An update looks at the changed modules only.
    async rest() {
      if (display.page() !== null) return
      try {
        const checked = await engine.check()
        if (!checked) return
        await showBroken(checked.broken, null)
        input.onWarnings(checked.warnings)
      } catch (error) {
        await failBuild(error)
      }
    },
  }
}

const RELOAD: DevReload = { type: 'reload' }

/** Returns the message to open pages: they reload, apply an update, or get none. */
function messageFor({ update, isChanged }: DevChange, wasBroken: boolean): DevUpdate | DevReload | null {
  if (update === null) return RELOAD
  return wasBroken || isChanged || hasEffect(update) ? { type: 'update', ...update } : null
}

/** Returns whether an update changes anything: a file may be saved without a change. */
function hasEffect({ modules, styles, files, data }: Omit<DevUpdate, 'type'>): boolean {
  return modules.length > 0 || styles.length > 0 || files.length > 0 || data
}
