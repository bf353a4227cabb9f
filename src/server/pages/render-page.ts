import { createAppTree, type Tree, type TreeLayout, type TreeLeaf } from '../../shared/tree/app-tree.tsx'
import { fallbackNoscript, hostScript } from '../../shared/tree/fallback.ts'
import { idleStore } from '../../shared/tree/navigation-state.ts'
import type { Platform } from '../../shared/tree/platform.ts'
import { type BootLeaf, type BootPlan, type BootVisit, bootScript, planText } from '../../shared/wire/boot.ts'
import type { Build, LayoutChain, SiteModule } from '../build-output/load-build.ts'
import type { RequestContext } from '../context/request-context.ts'
import type { Site } from '../context/site.ts'
import { isStorable, styleNonceOf } from '../http/headers.ts'
import { wantsWhole } from '../http/user-agent.ts'
import { guardPromises } from '../render/data-promises.ts'
import { deferData, NO_DATA } from '../render/deferred-data.ts'
import { type Rendered, renderDocument } from '../render/document.ts'
import { addLazyUrl } from '../render/lazy-url.ts'
import { showPartsNoscript } from '../render/without-script.ts'
import { mayReport } from './report-settings.ts'

/** What a document consists of, apart from what one request brings. Made once for each page. */
export interface DocumentPlan {
  /** Outermost first. */
  layouts: readonly TreeLayout[]
  /** Paths in the site of the files that the data comes from, the page's last. */
  dataFiles: readonly string[]
  /** The part of the boot data that is always the same. */
  boot: string
  bootLayouts: BootPlan['layouts']
  /** Names of the scripts and stylesheets that the browser needs for it. */
  files: readonly string[]
  /** What goes before `</head>`, in pieces between which the nonce stands. */
  preloads: readonly string[]
  /** The same for data that JSON cannot say. */
  readerPreloads: readonly string[]
  canStream: boolean
}

/** What a page's action has returned, as it is and as `serialiseActionData` writes it. */
export interface ActionResult {
  value: unknown
  serialised: string
}

export interface PageRender {
  plan: DocumentPlan
  /** Data of the layouts, outermost first, then the page's. */
  data: readonly unknown[]
  action?: ActionResult | null
  leaf: TreeLeaf
  params: Record<string, string>
}

interface PlanInput {
  frame: LayoutChain
  /** How many of the frame's layouts stand around the leaf. */
  level: number
  bootLeaf: BootLeaf
  /** URLs of the leaf's scripts and stylesheets. */
  leaf: Pick<SiteModule<unknown>, 'scripts' | 'css'>
  dataFile: string
  canStream: boolean
}

export function createPlan(
  { frame, level, bootLeaf, leaf, dataFile, canStream }: PlanInput,
  build: Build,
): DocumentPlan {
  const layouts = frame.layouts.slice(0, level)
  const bootLayouts = layouts.map((layout, index) => {
    const error = frame.errorPages[index]?.boot.file
    return { ...layout.boot, ...(error ? { error } : {}) }
  })
  const preloaded = [...build.entry.imports, ...layouts.flatMap((layout) => layout.scripts), ...leaf.scripts]
  return {
    layouts: layouts.map(({ Component, css }, index) => ({
      Component,
      css,
      ErrorPage: frame.errorPages[index]?.Component ?? null,
    })),
    dataFiles: [...layouts.map((layout) => layout.serverFile), dataFile],
    boot: planText({ layouts: bootLayouts, leaf: bootLeaf, build: build.manifest.buildId }),
    bootLayouts,
    files: [...new Set([...layouts, leaf].flatMap(({ scripts, css }) => [...scripts, ...css]))].map(fileName),
    preloads: preloadLinks([...new Set(preloaded)]),
    readerPreloads: preloadLinks(build.dataReader),
    canStream,
  }
}

/** May a document that is not complete at the shell go out in parts? */
export function mayStream(plan: DocumentPlan, { reply, request }: RequestContext): boolean {
  return plan.canStream && !isStorable(reply) && !wantsWhole(request.headers['user-agent'])
}

/** Renders a scene. Throws HYD_DATA_UNSERIALISABLE; everything else is in what it resolves with. */
export function renderPage(scene: PageRender, site: Site, visit: RequestContext): Promise<Rendered> {
  const { plan, leaf, params, action } = scene
  const { host } = visit.address
  const { nonce } = visit
  // Written out: V8 gives each object that begins with a spread of these a shape of its own.
  const platform: Platform = {
    side: 'server',
    host,
    search: visit.search,
    nonce,
    hostScript,
    styleNonce: styleNonceOf(visit.reply),
    navigation: idleStore,
    actionData: action?.value,
    address: visit,
    page: 0,
    addUrl: addLazyUrl,
    reload,
  }
  const isBare = !action && scene.data.every((value) => value === undefined)
  const data = isBare ? NO_DATA : deferData(scene.data, plan.dataFiles, visit)
  const safe = data.pendingCount() > 0 ? scene.data.map((value) => guardPromises(value, substitute)) : scene.data
  const tree: Tree = {
    layouts: plan.layouts,
    leaf,
    data: action ? [...safe, action.value] : safe,
    params,
    address: visit,
  }
  const serialised = action ? [...data.serialised, action.serialised] : data.serialised
  function writeBoot(): string {
    const own: BootVisit = { url: visit.href, params, ...(leaf.kind === 'shown' ? { shown: leaf.shown, host } : {}) }
    if (!mayReport(site.options.reports, visit.request.headers)) own.reports = 0
    return bootScript(plan.boot, own, serialised)
  }
  function substitute(reason: unknown): Error {
    return visit.substitute(reason, { phase: 'load', place: data.place })
  }

  return renderDocument({
    render: site.render,
    metrics: site.metrics,
    element: createAppTree(tree, platform),
    nonce,
    styleNonce: platform.styleNonce,
    headEnd(isStreamed, head) {
      site.policies.watchHead(plan, head, visit)
      const readers = data.needsReader ? plan.readerPreloads.join(nonce) : ''
      return plan.preloads.join(nonce) + readers + (isStreamed ? showPartsNoscript(platform.styleNonce) : '')
    },
    shellEnd: () =>
      `<script nonce="${nonce}">${writeBoot()}</script>` +
      `<script type="module" src="${site.build.entry.url}" nonce="${nonce}" async=""></script>`,
    data,
    visit,
    canStream: () => mayStream(plan, visit),
    renderMs: site.options.timeouts.renderMs,
    maxLength: site.options.limits.maxDocumentLength,
    noscript: ({ digest, status }) => (leaf.kind === 'page' ? fallbackNoscript(digest, status, platform) : ''),
  })
}

const fileName = (url: string) => url.slice(url.lastIndexOf('/') + 1)

const NONCE = '\u0001'

// There is nothing to load again yet.
const reload = () => {}

function preloadLinks(urls: readonly string[]): string[] {
  return urls
    .map((href) => `<link rel="modulepreload" href="${href}" nonce="${NONCE}"/>`)
    .join('')
    .split(NONCE)
}
