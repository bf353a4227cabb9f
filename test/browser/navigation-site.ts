/// <reference lib="dom" />

// Visitors of the site `navigation`, which is served in this process, so that a test can block its loads.

import type { Test } from 'tap'
import type { CreateServerOptions } from '../../src/server/create-server.ts'
import { buildApp } from '../build-app.ts'
import { gatesOfLast, listen } from '../server/lines.ts'
import { type Served, serve } from '../server/served.ts'
import { until } from '../until.ts'
import { type Chromium, launchChromium, type OpenPage, type Owner, type PageOptions } from './chromium.ts'

export interface Visitor extends OpenPage {
  /** Paths of the documents that have been requested since `start`. */
  documents: string[]
  /** Paths of the pages whose data has been requested, once per request. */
  asked: string[]
  /** Loads a document and resets the counts. Resolves when links are taken over. */
  start(path: string): Promise<void>
  /** Clicks the link to a page, or the first element that matches a selector. */
  click(target: string, options?: { clickCount?: number }): Promise<void>
  /** Resolves when that page is shown. */
  stands(title: string): Promise<void>
}

export interface SmallSite {
  dir: string
  origin: string
  served: Served
  chromium: Chromium
  gates: ReturnType<typeof gatesOfLast>
  visit(t: Owner, options?: PageOptions & { init?: () => void }): Promise<Visitor>
}

/** Serves the site `navigation`, or another one that is built. */
export async function serveSmallSite(
  t: Test,
  options: Partial<CreateServerOptions> = {},
  other?: string,
): Promise<SmallSite> {
  const dir = other ?? (await buildApp(t, 'navigation'))
  const served = await serve(t, dir, options)
  const origin = await listen(t, served.app)
  const chromium = await launchChromium(t)
  return {
    dir,
    origin,
    served,
    chromium,
    gates: gatesOfLast(),
    async visit(t, { init, ...options } = {}) {
      const open = await chromium.open(options, t)
      if (init) await open.page.addInitScript(init)
      return createVisitor(open, origin)
    },
  }
}

/**
 * Runs in the page before its scripts. Prefetched pages stay for ten minutes instead of ten seconds, which a busy machine
 * can exceed.
 */
export function keepPrefetched() {
  const original = setTimeout
  Object.assign(window, {
    setTimeout: (work: TimerHandler, ms?: number, ...given: unknown[]) =>
      original(work, ms === 10_000 ? 600_000 : ms, ...given),
  })
}

function createVisitor(open: OpenPage, origin: string): Visitor {
  const { page } = open
  const documents: string[] = []
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (request.resourceType() === 'document') documents.push(pathname + search)
    const [own, mark] = search.split(/[?&](?=_hydrant$)/)
    if (mark !== undefined) asked.push(pathname + own)
  })
  return {
    ...open,
    documents,
    asked,
    async start(path) {
      await open.goto(origin + path, 'load')
      await takesNavigations(open)
      documents.length = 0
      asked.length = 0
    },
    click: (target, options) => open.click(target.startsWith('/') ? `nav a[href="${target}"]` : target, options),
    stands: (title) => open.hasText('h1', new RegExp(`^${title}$`)),
  }
}

/**
 * Resolves when the client has taken over the browser's navigations and has loaded the navigator, which it does when
 * a link is pointed at.
 */
export async function takesNavigations(page: Pick<OpenPage, 'evaluate'>) {
  await until(() =>
    page.evaluate(() => {
      const link = document.createElement('a')
      document.body.append(link)
      link.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }))
      link.remove()
      return document.querySelector('.hydrant-announcer') !== null
    }, null),
  )
}
