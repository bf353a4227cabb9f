// A site from values, for tests that do not test the build: no files, no esbuild, a few milliseconds.

import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createElement } from 'react'
import type { Test } from 'tap'
import { discoverSite } from '../scripts/build/discover/discover-site.ts'
import { BUILD_PATHS, MANIFEST_FORMAT, type Manifest } from '../src/server/build-output/manifest.ts'
import { buildFolder, VERSION } from '../src/server/build-output/read-build.ts'
import type { OpenCacheStore } from '../src/server/cache/shared/open-shared-store.ts'
import { type CreateServerOptions, createInstance, type Instance } from '../src/server/create-server.ts'
import { resolveOptions } from '../src/server/options/resolve-options.ts'
import { headersOfBuild } from './server/lines.ts'
import { createLog, createServed, type Served, writeFiles } from './server/served.ts'

// biome-ignore lint/suspicious/noExplicitAny: the types of a site's functions are for its author, and tests break them
type SiteFunction = (...values: any[]) => unknown

/**
 * The exports of a file of `pages/` and of its `.server` file. A function is the component alone. Without `Component`,
 * a page shows `page`, and a layout its children.
 */
export type SiteModule = SiteFunction | ({ Component?: unknown } & Record<string, unknown>)

/** Each file of `pages/` by its path there, without the end: `/`, `/blog/[id]`, `/blog/layout`, `/error`. */
export type SiteModules = Record<string, SiteModule>

export interface TestSiteOptions extends Partial<Omit<CreateServerOptions, 'buildDir' | 'loggerInstance'>> {
  /** Opens a store of the page cache in place of that of the options. */
  openCacheStore?: OpenCacheStore
  /** The default export of `server.ts` (none). */
  server?: SiteFunction
  /** Whether the build is one of `hydrant dev` (`production`). */
  mode?: Manifest['mode']
}

/** What is exported by the component's file. */
const OF_COMPONENT = new Set(['hydrate'])

const BUILD_ID = 'c0ffee'

/** The headers that a page of any such site sends when it navigates. `layouts` are the keys of its current layouts. */
export const navigationHeaders = (layouts: readonly string[] = [], buildId = BUILD_ID) =>
  headersOfBuild(buildId, layouts)

const Page = () => createElement('p', null, 'page')
const Children = ({ children }: { children: unknown }) => children

/** Serves a site in this process and closes it with the test. */
export async function testSite(
  t: Pick<Test, 'teardown'>,
  site: SiteModules,
  options: TestSiteOptions = {},
): Promise<Served> {
  const log = createLog()
  const { app, scope } = await createTestInstance(site, { logger: log.logger, ...options })
  t.teardown(() => app.close())
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(scope)))
    if (!(name in app)) Object.defineProperty(app, name, property)
  return createServed(app, log)
}

/** Creates the instance of a site from values, as `createServer` does for a built one. */
export async function createTestInstance(site: SiteModules, given: TestSiteOptions = {}): Promise<Instance> {
  const {
    dir = join(tmpdir(), `site-${randomUUID()}`),
    server,
    mode,
    logger = false,
    openCacheStore,
    ...options
  } = given
  const resolved = resolveOptions({ given: options, scope: 'server' })
  // Without the folder of the scripts, each site would log a warning.
  mkdirSync(join(dir, '.hydrant/client'), { recursive: true })
  const build = testBuild(site, { dir, server, mode })
  return createInstance({
    ...{ dir, ...build, options: resolved, logging: { logger } },
    ...(openCacheStore && { openCacheStore }),
  })
}

export interface WrittenSiteOptions {
  /** The default export of `server.ts` (none). */
  server?: SiteFunction
  /** The contents of the files in `public/`, by their paths there (none). */
  publicFiles?: Record<string, string>
  /** The ID of the build, for a site next to another one (that of all others). */
  buildId?: string
  /** Whether the build is one of `hydrant dev` (`production`). */
  mode?: Manifest['mode']
}

/**
 * Writes a site from values as a build, for an app that registers the plugin, and for files that the server sends.
 * Returns its folder. Only this process can serve it, and its browser scripts are empty.
 */
export function writeTestSite(
  dir: string,
  site: SiteModules,
  { server, publicFiles = {}, buildId, mode }: WrittenSiteOptions = {},
): string {
  const { folder, manifest, modules } = testBuild(site, {
    dir,
    server,
    publicFiles: Object.keys(publicFiles),
    buildId,
    mode,
  })
  const name = `hydrantTest${randomUUID()}`
  Object.assign(globalThis, { [name]: modules })
  const scripts = [manifest.entry, ...manifest.dataReader, ...Object.values(manifest.modules).map(({ js }) => js)]
  writeFiles(folder, {
    [BUILD_PATHS.manifest]: JSON.stringify(manifest),
    [BUILD_PATHS.server]: `export const modules = globalThis['${name}']\n`,
    [BUILD_PATHS.config]: 'export default {}\n',
    ...Object.fromEntries(scripts.map((script) => [`${BUILD_PATHS.client}/${script}`, ''])),
    ...Object.fromEntries(Object.entries(publicFiles).map(([path, text]) => [`${BUILD_PATHS.public}/${path}`, text])),
  })
  return dir
}

interface TestBuild {
  dir: string
  server?: SiteFunction | undefined
  /** Paths below `public/` (none). */
  publicFiles?: readonly string[]
  buildId?: string | undefined
  mode?: Manifest['mode'] | undefined
}

/** Returns a build with the modules of a site, whose browser scripts do not exist. */
export function testBuild(site: SiteModules, given: TestBuild) {
  const { dir, server, publicFiles = [], buildId = BUILD_ID, mode = 'production' } = given
  const modules: Record<string, Record<string, unknown>> = {}
  for (const [path, value] of Object.entries(site)) {
    const stem = `pages${path === '/' ? '/index' : path}`
    const { Component = defaultComponent(stem), ...exports } =
      typeof value === 'function' ? { Component: value } : value
    const own = Object.entries(exports)
    const ofComponent = own.filter(([name]) => OF_COMPONENT.has(name))
    modules[`${stem}.tsx`] = { default: Component, ...Object.fromEntries(ofComponent) }
    if (own.length > ofComponent.length)
      modules[`${stem}.server.ts`] = Object.fromEntries(own.filter(([name]) => !OF_COMPONENT.has(name)))
  }
  if (server) modules['server.ts'] = { default: server }
  return {
    folder: buildFolder(dir),
    manifest: createManifest(Object.keys(modules), { publicFiles, buildId, mode }),
    modules,
  }
}

function defaultComponent(stem: string) {
  return stem.endsWith('/layout') ? Children : Page
}

interface BuildParts {
  publicFiles: readonly string[]
  buildId: string
  mode: Manifest['mode']
}

function createManifest(files: readonly string[], { publicFiles, buildId, mode }: BuildParts): Manifest {
  const pages = files.filter((file) => file.startsWith('pages/')).map((file) => file.slice('pages/'.length))
  const root = files.filter((file) => !file.includes('/'))
  const { site, problems } = discoverSite({ root, pages, publicFiles: [...publicFiles] })
  if (problems.length > 0) throw new Error(problems.map(({ message }) => message).join('\n'))
  return {
    format: MANIFEST_FORMAT,
    hydrant: VERSION,
    buildId,
    mode,
    entry: 'entry.js',
    entryImports: [],
    dataReader: ['reader.js'],
    routes: site.routes,
    root: site.root,
    modules: Object.fromEntries(
      site.components.map(({ file }, index) => [
        file,
        { js: `${file.replaceAll(/\W+/g, '-')}-${index}.js`, imports: [], css: [] },
      ]),
    ),
    serverPlugin: site.serverPlugin,
    clientFiles: [],
    publicFiles: [...publicFiles].sort(),
  }
}
