import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { PrerenderRule } from '../../../src/server/build-output/cache-rule.ts'
import { type Build, loadBuild } from '../../../src/server/build-output/load-build.ts'
import { readConfig, readManifest } from '../../../src/server/build-output/read-build.ts'
import {
  INDEX_FILE,
  PRERENDERED_FOLDER,
  type PrerenderedIndex,
  type PrerenderedPage,
  type PrerenderedResponse,
} from '../../../src/server/cache/prerendered-pages.ts'
import { createInstance } from '../../../src/server/create-server.ts'
import { showValue } from '../../../src/server/errors/hydrant-error.ts'
import { createJsonLogging } from '../../../src/server/log/logger.ts'
import { publishEnv } from '../../../src/server/options/env-files.ts'
import { resolveOptions } from '../../../src/server/options/resolve-options.ts'
import { type PreparedRoute, prepareRoute } from '../../../src/server/pages/prepared-route.ts'
import { createDeadline, DEADLINE } from '../../../src/server/util/deadline.ts'
import { messageOf } from '../../../src/server/util/unknown-values.ts'
import { href, NO_PAGE_PATH } from '../../../src/shared/href.ts'
import { withBase } from '../../../src/shared/paths.ts'
import { compareText, createProblem } from '../../build-problem.ts'
import { mapWithLimit } from '../../map-with-limit.ts'
import {
  createOutcomes,
  type PrerenderMessage,
  type PrerenderProblem,
  prerenderIn,
  type RenderingServer,
  renderAddress,
  renderingOptions,
} from './render-address.ts'

export interface RenderSiteInput {
  /** The folder of the build, which gets the folder `prerendered`. */
  folder: string
  dir: string
  onProgress(done: number, total: number): void
}

/** Pages whose loads run at the same time. */
const AT_A_TIME = 8
const CLOSE_MS = 5_000

/** Renders the pages that export `prerender`, and writes the responses. Rejects if the site cannot be loaded. */
export async function renderSite({ folder, dir, onProgress }: RenderSiteInput): Promise<PrerenderMessage> {
  const manifest = readManifest(folder)
  const config = await readConfig(folder)
  const options = renderingOptions(resolveOptions({ env: process.env, config, scope: 'server' }), AT_A_TIME)
  const { base } = options
  const outcomes = createOutcomes()
  const { collector } = outcomes
  const { app, store } = await createInstance({
    dir,
    folder,
    manifest,
    options,
    logging: createJsonLogging('silent'),
    collector,
  })
  store.subscribe(outcomes.addFailure)
  try {
    const build = await loadBuild({ folder, manifest }, base)
    const { problems, addresses } = await listAll(build, base)
    const server: RenderingServer = {
      app,
      outcomes,
      build: manifest.buildId,
      hasMarkdown: options.markdown,
      routes: manifest.routes.map(({ id }) => id),
      // A host name that is reserved, and that no text contains by chance.
      origin: `http://${manifest.buildId}.prerendered.invalid`,
    }
    const prerendered = join(folder, PRERENDERED_FOLDER)
    await mkdir(prerendered, { recursive: true })
    let done = 0
    const pages = await mapWithLimit(addresses, AT_A_TIME, async ({ route, url }) => {
      const page: PrerenderedPage = { route: route.id, path: url, forms: {} }
      await renderAddress(server, route, url, async (result) => {
        if (result.kind === 'problem') return void problems.push(result.problem)
        page.path = result.path
        if (result.kind === 'redirect') page.redirect = result.redirect
        else page.forms[result.form] = await writeResponse(prerendered, result.response)
      })
      onProgress(++done, addresses.length)
      return page
    })
    if (problems.length > 0) return { kind: 'failed', problems }
    const index: PrerenderedIndex = {
      build: manifest.buildId,
      base,
      origin: server.origin,
      publicEnv: publishEnv(process.env),
      mayReport: options.reports.enabled,
      pages: pages.sort((a, b) => compareText(a.path, b.path)),
    }
    await writeFile(join(prerendered, INDEX_FILE), `${JSON.stringify(index)}\n`)
    return { kind: 'done', pages: pages.length }
  } finally {
    await close(app)
  }
}

/** Closes the server. The process then ends, even if a hook has not finished in time. */
async function close(app: FastifyInstance): Promise<void> {
  const deadline = createDeadline(CLOSE_MS)
  await Promise.race([app.close().catch(() => {}), deadline.passed])
  deadline.clear()
}

interface Address {
  route: PreparedRoute
  /** With the base. */
  url: string
}

async function listAll(build: Build, base: string): Promise<{ problems: PrerenderProblem[]; addresses: Address[] }> {
  const problems: PrerenderProblem[] = []
  const addresses: Address[] = []
  for (const route of build.routes.map((each) => prepareRoute(each, build))) {
    if (route.prerender === null) continue
    const { file } = route.prerender
    const listed = await listAddresses(route.id, route.prerender, base)
    if ('problem' in listed)
      problems.push({ ...createProblem('HYD_PRERENDER_INVALID', [file, listed.problem]), about: prerenderIn(file) })
    else addresses.push(...listed.paths.map((path) => ({ route, url: withBase(base, path) })))
  }
  return { problems, addresses }
}

/** Writes a response into a file, and returns its name: a hash of the contents. */
async function writeResponse(folder: string, { body, headers, scripts, styles }: PrerenderedResponse): Promise<string> {
  const response: PrerenderedResponse = { headers, scripts, styles, body }
  const contents = `${JSON.stringify(response)}\n`
  const name = `${createHash('sha256').update(contents).digest('hex').slice(0, 32)}.json`
  await writeFile(join(folder, name), contents)
  return name
}

/** The time for the function `prerender`, long enough to read the list of a large site from a slow service. */
const LIST_MS = 60_000

export type Addresses = { paths: readonly string[] } | { problem: string }

/**
 * Lists the addresses of a page that the build renders: sorted, spelled as a browser sends them, and without the base.
 * Never rejects. A problem is the end of a sentence.
 *
 * @param id The page's route: `/products/[id]`.
 * @param base The base, which is removed from the paths that `href` has returned.
 * @param maxMs The time that the function may take, in milliseconds.
 */
export async function listAddresses(
  id: string,
  { list }: PrerenderRule,
  base: string,
  maxMs = LIST_MS,
): Promise<Addresses> {
  if (list === null) return { paths: [toPath(id, {})] }
  let listed: unknown
  const deadline = createDeadline(maxMs)
  try {
    listed = await Promise.race([list(), deadline.passed])
  } catch (error) {
    return { problem: `the function threw: ${messageOf(error)}` }
  } finally {
    deadline.clear()
  }
  if (listed === DEADLINE) return { problem: `the function has not returned within ${maxMs / 1_000} s` }
  if (!Array.isArray(listed)) return { problem: `the function must return a list; got ${showValue(listed)}` }
  const paths = new Set<string>()
  for (const item of listed) {
    const read = readAddress(id, item, base)
    if ('problem' in read) return read
    paths.add(read.path)
  }
  return { paths: [...paths].sort(compareText) }
}

// The type of `href` knows only the routes of this program. It checks the values itself.
const toPath = href as (route: string, params: object) => string

function readAddress(id: string, item: unknown, base: string): { path: string } | { problem: string } {
  if (typeof item === 'string') {
    // A path of a page has no host, no query and no fragment.
    const isPath = /^\/(?!\/)[^?#\\]*$/.test(item)
    const wanted = 'an address must be a path such as "/products/7", without a query'
    if (!isPath) return { problem: `${wanted}; got ${showValue(item)}` }
    const { pathname } = new URL(item, 'http://localhost')
    return { path: base !== '/' && pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname }
  }
  const params = typeof item === 'object' && item !== null ? Reflect.get(item, 'params') : undefined
  if (typeof params !== 'object' || params === null)
    return { problem: `an address must be a path or { params }; got ${showValue(item)}` }
  try {
    const path = toPath(id, params)
    return path === NO_PAGE_PATH
      ? { problem: `no URL of the page can have the params ${JSON.stringify(params)}` }
      : { path }
  } catch (error) {
    return { problem: messageOf(error) }
  }
}
