import { createElement, Suspense } from 'react'
import { createAppTree, type PageComponent, type Tree, type TreeLeaf } from '../../shared/tree/app-tree.tsx'
import { DefaultLayout } from '../../shared/tree/default-layout.tsx'
import { hostScript } from '../../shared/tree/fallback.ts'
import { idleStore } from '../../shared/tree/navigation-state.ts'
import type { Platform } from '../../shared/tree/platform.ts'
import type { RenderToPipe } from '../context/react-renderer.ts'
import { DocumentSink } from './document-sink.ts'
import { addLazyUrl } from './lazy-url.ts'

/** After three times V8 knew of none of it, after ten of all. */
const TIMES = 20

let rehearsed: Promise<void> | null = null

/**
 * Lets React fail before the first visitor comes, once in a process; takes some hundredths of a second. V8 makes fast code
 * for what has happened so far. Where all pages have been fine for a long time, the first that fails undoes a part of
 * React's, and as long as others fail it may not be made again: each of them then costs a sixth more.
 */
export function warmUpFailures(render: RenderToPipe): Promise<void> {
  rehearsed ??= rehearse(render)
  return rehearsed
}

async function rehearse(render: RenderToPipe) {
  for (let time = 0; time < TIMES; time++) for (const leaf of LEAVES) await renderAlone(leaf, render)
}

const Failing: PageComponent = () => {
  throw new Error('This is a rehearsal.')
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
  navigation: idleStore,
  address,
  page: 0,
  addUrl: addLazyUrl,
  reload() {},
}

/** Renders into nothing. Resolves when React is done, however that has ended. */
function renderAlone(leaf: TreeLeaf, render: RenderToPipe): Promise<void> {
  const layouts = [{ Component: DefaultLayout, css: [], ErrorPage: null }]
  const tree: Tree = { layouts, leaf, data: [], params: {}, address }
  return new Promise((resolve) => {
    const sink = new DocumentSink(
      () => '',
      Number.POSITIVE_INFINITY,
      () => resolve(),
    )
    const rendering = render(createAppTree(tree, platform), {
      onError() {},
      onShellReady: () => void rendering.pipe(sink),
      onShellError: () => resolve(),
    })
  })
}
