import type { IncomingMessage, ServerResponse } from 'node:http'
import { resolve } from 'node:path'
import type { Duplex } from 'node:stream'
import type { FastifyServerOptions } from 'fastify'
import { createInstance } from '../../src/server/create-server.ts'
import type { FailureRecord, SourceFrame } from '../../src/server/errors/failure-record.ts'
import { type Options, resolveOptions } from '../../src/server/options/options.ts'
import { createSiteBuilder, type SiteBuild } from '../build/site-builder.ts'
import { withDevLedger } from '../dev-ledger.ts'
import { createAppSlot } from './app-slot.ts'
import { type DevFailure, DOES_NOT_BUILD, describeStart, findSource } from './dev-failures.ts'
import { createDevKeepers } from './dev-keepers.ts'
import { createErrorPage } from './error-page.ts'
import { createRebuildLoop } from './rebuild-loop.ts'
import { createReloadChannel } from './reload-channel.ts'
import { isRelevant, watchSite } from './watch-site.ts'

/** Kept apart from what `hydrant build` writes, so that a site can be developed while its build is served. */
export const DEV_FOLDER = '.hydrant-dev'

export interface DevSiteInput {
  dir: string
  flags: Record<string, string | undefined>
  env: Record<string, string | undefined>
  createLogging(options: Options): Pick<FastifyServerOptions, 'logger' | 'loggerInstance'>
  /** The site is ready, the first time or again. */
  onReady(build: SiteBuild, changed: readonly string[]): void
  /** The site does not build or does not start; returns the text that a browser shows. */
  onFailure(failure: DevFailure): string
  /** Something has failed in a request or in a browser, and its line is written. */
  onFailed(failure: FailureRecord): void
}

/** A site that is built anew whenever it changes. */
export interface DevSite {
  /** Of the last build; before the first, without what the configuration says. */
  options(): Options
  answer(request: IncomingMessage, response: ServerResponse): void
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Says where the source has thrown something outside of any request; leads the error's stack there. */
  findSource(thrown: unknown): SourceFrame | null
  close(): Promise<void>
}

/** Builds for the first time, whether that succeeds or not. Throws HYD_OPTION_… for flags and the environment. */
export async function createDevSite(input: DevSiteInput): Promise<DevSite> {
  const { dir } = input
  let options = readOptions(input, {})
  let inputs: ReadonlySet<string> | null = null
  let last: SiteBuild | null = null
  let page = ''
  let changed: string[] = []
  const findLastSource = (thrown: unknown) => last && findSource(thrown, last)
  const slot = createAppSlot((error) => {
    input.onFailure({ what: 'The site does not stop', error, source: findLastSource(error) })
  })
  const channel = createReloadChannel()
  const keepers = createDevKeepers(dir, input.onFailed)
  const builder = createSiteBuilder({ dir, mode: 'development', folder: DEV_FOLDER })

  async function take(build: SiteBuild) {
    last = build
    options = readOptions(input, build.config)
    const { app } = await createInstance({
      ...{ dir, folder: build.folder, options, logging: input.createLogging(options) },
      findKeeper: (log) => keepers.find(options, log),
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
      'error' in outcome ? { what: DOES_NOT_BUILD, error: outcome.error, source: null } : await start(outcome.build)
    if (failure) {
      inputs = null
      slot.put(null)
      page = createErrorPage(failure.what, input.onFailure(failure), options.base)
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
    answer(request, response) {
      if (channel.answer(request, response)) return
      if (slot.isFilled()) slot.serve(request, response)
      else answerFailure(request, response, page)
    },
    upgrade: slot.upgrade,
    findSource: findLastSource,
    async close() {
      await watcher.close()
      await loop.close()
      channel.close()
      await slot.close()
      await keepers.close()
    },
  }
}

function readOptions({ flags, env }: DevSiteInput, config: Record<string, unknown>): Options {
  return withDevLedger(resolveOptions({ flags, env, config: { host: 'localhost', ...config } }))
}

/** Modules of a workspace beside the site; packages do not change while one works. */
function outsideFiles(dir: string, inputs: readonly string[]): string[] {
  return inputs
    .filter((path) => path.startsWith('../') && !path.includes('node_modules/'))
    .map((path) => resolve(dir, path))
}

function answerFailure({ method }: IncomingMessage, response: ServerResponse, page: string) {
  response.writeHead(500, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
  response.end(method === 'HEAD' ? undefined : page)
}
