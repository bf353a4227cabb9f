import { createElement, type ReactNode } from 'react'
import { preloadModule } from 'react-dom'
import { createAppTree, type Tree, type TreeLeaf } from '../shared/app-tree.tsx'
import { type Boot, type BootLeaf, bootScript } from '../shared/boot.ts'
import { fallbackNoscript } from '../shared/fallback.ts'
import type { Platform } from '../shared/platform.ts'
import type { Frame } from './build.ts'
import { isCrawler } from './crawler.ts'
import { deferData } from './deferred.ts'
import { type Rendered, renderDocument } from './document.ts'
import { createNonce, isStorable } from './headers.ts'
import type { Site } from './site.ts'
import type { Visit } from './visit.ts'

/** What is to be rendered: something innermost, inside some or all of a frame's layouts. */
export interface Scene {
  frame: Frame
  /** Data of the layouts that stand around it, outermost first. */
  layoutData: readonly unknown[]
  leaf: TreeLeaf
  bootLeaf: BootLeaf
  /** URLs of the leaf's scripts. */
  scripts: readonly string[]
  params: Record<string, string>
  url: URL
  /** False for a page that asked to be sent whole. */
  canStream: boolean
}

/** Renders a scene. Throws HYD_DATA_UNSERIALISABLE; everything else is in what it resolves with. */
export async function renderScene(scene: Scene, site: Site, visit: Visit): Promise<{ rendered: Rendered; nonce: string }> {
  const { frame, layoutData, leaf, url, params } = scene
  const layouts = frame.layouts.slice(0, layoutData.length)
  const pageData = leaf.kind === 'page' ? leaf.data : undefined
  const files = [...layouts.map((layout) => layout.serverFile), visit.route]
  const data = deferData([...layoutData, pageData], files, visit)
  const nonce = nonceOf(visit)
  const tree: Tree = {
    layouts: layouts.map(({ Component, css }, index) => ({
      Component,
      css,
      data: layoutData[index],
      ErrorPage: frame.errorPages[index]?.Component ?? null,
    })),
    leaf,
    params,
    url,
  }
  const boot: Boot = {
    url: url.href,
    params,
    layouts: layouts.map((layout) => layout.boot),
    errors: layouts.map((_, index) => frame.errorPages[index]?.boot.file ?? null),
    leaf: scene.bootLeaf,
    ...(leaf.kind === 'shown' ? { host: visit.address.host } : {}),
  }
  const fallbackContext = { host: visit.address.host, search: url.search }
  const rendered = await renderDocument({
    render: site.render,
    element: createElement(Preloads, {
      scripts: [...site.build.entry.imports, ...layouts.flatMap((layout) => layout.scripts), ...scene.scripts],
      nonce,
      children: createAppTree(tree, createPlatform(visit, url, nonce)),
    }),
    nonce,
    entry: site.build.entry.url,
    bootScript: bootScript(boot, data.serialised),
    data,
    visit,
    canStream: () => scene.canStream && !isStorable(visit.reply) && !isCrawler(visit.request.headers['user-agent']),
    renderMs: site.options.timeouts.renderMs,
    noscript: ({ digest, status }) => (leaf.kind === 'page' ? fallbackNoscript(digest, status, fallbackContext) : ''),
  })
  return { rendered, nonce }
}

/** Tells the browser what the page will import, before it finds out itself. On the server only; renders nothing. */
function Preloads({ scripts, nonce, children }: { scripts: readonly string[]; nonce: string; children: ReactNode }) {
  for (const href of scripts) preloadModule(href, { as: 'script', nonce })
  return children
}

function createPlatform(visit: Visit, url: URL, nonce: string): Platform {
  return { host: visit.address.host, search: url.search, nonce, findDigest: () => undefined, reload() {} }
}

// @fastify/helmet makes a nonce of its own for the policy that it sends.
function nonceOf({ reply }: Visit): string {
  const { cspNonce } = reply as { cspNonce?: { script?: string } }
  return cspNonce?.script ?? createNonce()
}
