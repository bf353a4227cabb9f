import type { TreeLayout } from '../../shared/tree/app-tree.tsx'
import { type BootLeaf, type BootPlan, planFields } from '../../shared/wire/boot.ts'
import { countKept, LAYOUTS_HEADER } from '../../shared/wire/navigation-protocol.ts'
import type { Build, LayoutChain, SiteModule } from '../build-output/load-build.ts'
import type { RequestContext } from '../context/request-context.ts'
import { FORMATS } from '../http/formats.ts'

/** The parts of a document that are the same for every request. Created once for each page. */
export interface DocumentPlan {
  /** Outermost first. */
  layouts: readonly TreeLayout[]
  /** Paths in the site of the files that the data comes from, the page's last. */
  dataFiles: readonly string[]
  /** The part of the boot data that never changes: the result of `planFields`. */
  boot: string
  bootLayouts: BootPlan['layouts']
  /** Names of the scripts and stylesheets that the browser needs. */
  files: readonly string[]
  /** Preload links for the end of the head. Joining the pieces with the nonce gives the HTML. */
  preloads: readonly string[]
  /** Preload links, in the same form, of the scripts that read data which JSON cannot express. */
  readerPreloads: readonly string[]
  canStream: boolean
}

/** Returns how many layouts of the plan the page that navigates has already; 0 for a format that is no navigation. */
export function countKeptLayouts({ bootLayouts }: DocumentPlan, { format, params, request }: RequestContext): number {
  return FORMATS[format].isNavigation ? countKept(bootLayouts, params, String(request.headers[LAYOUTS_HEADER])) : 0
}

export interface PlanInput {
  chain: LayoutChain
  /** Number of the chain's layouts around the leaf. */
  level: number
  bootLeaf: BootLeaf
  /** URLs of the leaf's scripts and stylesheets. */
  leaf: Pick<SiteModule<unknown>, 'scripts' | 'css'>
  dataFile: string
  canStream: boolean
}

export function createPlan(input: PlanInput, build: Build): DocumentPlan {
  const { chain, level, bootLeaf, leaf, dataFile, canStream } = input
  const layouts = chain.layouts.slice(0, level)
  const bootLayouts = layouts.map((layout, index) => {
    const error = chain.errorPages[index]?.boot.file
    return { ...layout.boot, ...(error ? { error } : {}) }
  })
  // The browser loads the modules of error pages at the start, too.
  const errorPages = layouts.flatMap((_, index) => chain.errorPages[index] ?? [])
  const scripts = [...layouts, ...errorPages, leaf].flatMap((module) => module.scripts)
  return {
    layouts: layouts.map(({ Component, css, boot }, index) => ({
      Component,
      css,
      route: boot.route,
      ErrorPage: chain.errorPages[index]?.Component ?? null,
    })),
    dataFiles: [...layouts.map((layout) => layout.serverFile), dataFile],
    boot: planFields({ layouts: bootLayouts, leaf: bootLeaf, build: build.manifest.buildId }),
    bootLayouts,
    files: [...new Set([...scripts, ...[...layouts, leaf].flatMap(({ css }) => css)])].map(fileName),
    preloads: preloadLinks([...new Set([...build.entry.imports, ...scripts])]),
    readerPreloads: preloadLinks(build.dataReader),
    canStream,
  }
}

const fileName = (url: string) => url.slice(url.lastIndexOf('/') + 1)

const NONCE = '\u0001'

function preloadLinks(urls: readonly string[]): string[] {
  return urls
    .map((href) => `<link rel="modulepreload" href="${href}" nonce="${NONCE}"/>`)
    .join('')
    .split(NONCE)
}
