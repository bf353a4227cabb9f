import { createAppTree, type TreeLayout, type TreeLeaf } from '../shared/app-tree.tsx'
import { type BootLeaf, type BootVisit, bootScript, planText } from '../shared/boot.ts'
import { fallbackNoscript } from '../shared/fallback.ts'
import type { Platform } from '../shared/platform.ts'
import type { Build, Frame } from './build.ts'
import { isCrawler } from './crawler.ts'
import { deferData, NO_DATA } from './deferred.ts'
import { type Rendered, renderDocument } from './document.ts'
import { guardPromises } from './guard.ts'
import { isStorable } from './headers.ts'
import type { Site } from './site.ts'
import type { Visit } from './visit.ts'

/** What a document consists of, apart from what one request brings. Made once for each page. */
export interface DocumentPlan {
  /** Outermost first. */
  layouts: readonly Omit<TreeLayout, 'data'>[]
  /** Paths in the site of the files that the data comes from, the page's last. */
  dataFiles: readonly string[]
  /** The part of the boot data that is always the same. */
  boot: string
  /** What goes before `</head>`, in pieces between which the nonce stands. */
  preloads: readonly string[]
  canStream: boolean
}

export interface Scene {
  plan: DocumentPlan
  /** Data of the layouts, outermost first. */
  layoutData: readonly unknown[]
  leaf: TreeLeaf
  params: Record<string, string>
}

interface PlanInput {
  frame: Frame
  /** How many of the frame's layouts stand around the leaf. */
  level: number
  bootLeaf: BootLeaf
  /** URLs of the leaf's scripts. */
  scripts: readonly string[]
  dataFile: string
  canStream: boolean
}

export function createPlan(
  { frame, level, bootLeaf, scripts, dataFile, canStream }: PlanInput,
  build: Build,
): DocumentPlan {
  const layouts = frame.layouts.slice(0, level)
  const errorPages = frame.errorPages.slice(0, level)
  const boot = {
    layouts: layouts.map((layout) => layout.boot),
    errors: errorPages.map((page) => page?.boot.file ?? null),
    leaf: bootLeaf,
  }
  const preloaded = [
    build.entry.url,
    ...build.entry.imports,
    ...layouts.flatMap((layout) => layout.scripts),
    ...scripts,
  ]
  const links = [...new Set(preloaded)].map((href) => `<link rel="modulepreload" href="${href}" nonce="${NONCE}"/>`)
  return {
    layouts: layouts.map(({ Component, css }, index) => ({
      Component,
      css,
      ErrorPage: errorPages[index]?.Component ?? null,
    })),
    dataFiles: [...layouts.map((layout) => layout.serverFile), dataFile],
    boot: planText(boot),
    preloads: links.join('').split(NONCE),
    canStream,
  }
}

/** May a document that is not complete at the shell go out in parts? */
export function mayStream(plan: DocumentPlan, { reply, request }: Visit): boolean {
  return plan.canStream && !isStorable(reply) && !isCrawler(request.headers['user-agent'])
}

/** Renders a scene. Throws HYD_DATA_UNSERIALISABLE; everything else is in what it resolves with. */
export function renderScene(scene: Scene, nonce: string, site: Site, visit: Visit): Promise<Rendered> {
  const { plan, layoutData, leaf, params } = scene
  const platform: Platform = {
    side: 'server',
    host: visit.address.host,
    search: visit.search,
    nonce,
    findDigest,
    reload,
  }
  const bootVisit: BootVisit =
    leaf.kind === 'shown' ? { url: visit.href, params, host: platform.host } : { url: visit.href, params }
  const values = [...layoutData, leaf.kind === 'page' ? leaf.data : undefined]
  const data = values.every((value) => value === undefined) ? NO_DATA : deferData(values, plan.dataFiles, visit)
  const safe = data.pendingCount > 0 ? values.map((value) => guardPromises(value, substitute)) : values
  const boot = bootScript(plan.boot, bootVisit, data.serialised)
  const layouts = plan.layouts.map(({ Component, css, ErrorPage }, index) => ({
    Component,
    css,
    ErrorPage,
    data: safe[index],
  }))
  function substitute(reason: unknown): Error {
    return visit.substitute(reason, { phase: 'load', place: data.place })
  }

  return renderDocument({
    render: site.render,
    element: createAppTree(
      { layouts, leaf: leaf.kind === 'page' ? { ...leaf, data: safe.at(-1) } : leaf, params, address: visit },
      platform,
    ),
    nonce,
    headEnd: plan.preloads.join(nonce),
    shellEnd:
      `<script nonce="${nonce}">${boot}</script>` +
      `<script type="module" src="${site.build.entry.url}" nonce="${nonce}" async=""></script>`,
    data,
    visit,
    canStream: () => mayStream(plan, visit),
    renderMs: site.options.timeouts.renderMs,
    noscript: ({ digest, status }) => (leaf.kind === 'page' ? fallbackNoscript(digest, status, platform) : ''),
  })
}

const NONCE = '\u0001'

// A document that is being rendered has neither.
const findDigest = () => undefined
const reload = () => {}
