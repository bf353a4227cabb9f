import { setImmediate as nextTurn } from 'node:timers/promises'
import { createElement, Suspense } from 'react'
import { createAppTree, type PageComponent, type Tree, type TreeLeaf } from '../../shared/tree/app-tree.tsx'
import { DefaultLayout } from '../../shared/tree/boundary.tsx'
import { hostScript } from '../../shared/tree/fallback.ts'
import type { Platform } from '../../shared/tree/platform.ts'
import type { RenderToPipe } from '../context/react-renderer.ts'
import { DocumentSink } from './document-sink.ts'

/** After three renders of each leaf V8 had not optimized for failures, after ten it had. */
const TIMES = 20

let warmedUp: Promise<void> | null = null

/** The first responses after a start have priority. */
const DELAY_MS = 1_000

/** Calls `warmUpFailures` a second later, unless the process has nothing left to do. */
export function warmUpFailuresLater(render: RenderToPipe) {
  setTimeout(() => void warmUpFailures(render), DELAY_MS).unref()
}

/**
 * Renders failing pages, once in a process. It takes some hundredths of a second, and lets other work run after each
 * page. Without it, V8 optimizes React for pages that work. The first failure would then discard the optimized code,
 * and while failures continue V8 may not optimize it again.
 *
 * perf: V8 keeps the optimized code, 1.12 times the rate when every second request fails, commit b390ac8d
 */
export function warmUpFailures(render: RenderToPipe): Promise<void> {
  warmedUp ??= renderFailures(render)
  return warmedUp
}

async function renderFailures(render: RenderToPipe) {
  for (let time = 0; time < TIMES; time++) {
    for (const leaf of LEAVES) {
      await renderLeaf(leaf, render)
      await nextTurn()
    }
  }
}

const Failing: PageComponent = () => {
  throw new Error('This page fails on purpose.')
}
const FailingInside: PageComponent = (props) => createElement(Suspense, null, createElement(Failing, props))

const LEAVES: readonly TreeLeaf[] = [
  { kind: 'page', css: [], Component: Failing },
  { kind: 'page', css: [], Component: FailingInside },
  { kind: 'shown', css: [], Component: null, shown: { kind: 'failure', side: 'server', status: 500, digest: '' } },
]

const address = { url: new URL('http://localhost/') }
const platform: Platform = {
  side: 'server',
  host: 'localhost',
  search: '',
  nonce: 'nonce',
  hostScript,
  page: 0,
  reload() {},
}

/** Renders a leaf and discards the output. Resolves when React has finished or failed. */
function renderLeaf(leaf: TreeLeaf, render: RenderToPipe): Promise<void> {
  const layouts = [{ Component: DefaultLayout, css: [], ErrorPage: null }]
  const tree: Tree = { layouts, leaf, data: [], params: {}, address }
  return new Promise((resolve) => {
    const sink = new DocumentSink(null, Number.POSITIVE_INFINITY, () => resolve())
    const rendering = render(createAppTree(tree, platform), {
      onError() {},
      onShellReady: () => void rendering.pipe(sink),
      onShellError: () => resolve(),
    })
  })
}
