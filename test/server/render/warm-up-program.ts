// Renders a working page for a long time, then a page that fails and its fallback. With the argument `rehearsed`,
// React's error paths are warmed up first.

import { createElement } from 'react'
import { loadRenderer } from '../../../src/server/context/react-renderer.ts'
import { warmUpFailures } from '../../../src/server/render/warm-up.ts'
import { createAppTree, type TreeLeaf } from '../../../src/shared/tree/app-tree.tsx'
import { DefaultLayout } from '../../../src/shared/tree/boundary.tsx'

const Page = () => createElement('main', null, createElement('h1', null, 'page'), 'text')
const Failing = () => {
  throw new Error('it fails')
}
const page: TreeLeaf = { kind: 'page', css: [], Component: Page }
const failing: TreeLeaf = { kind: 'page', css: [], Component: Failing }
const shown = { kind: 'failure', side: 'server', status: 500, digest: 'AAAAAAAA-000001' } as const
const failed: TreeLeaf = { kind: 'shown', css: [], Component: null, shown }

const render = await loadRenderer('bun')
if (process.argv.includes('rehearsed')) await warmUpFailures(render)
for (let time = 0; time < 30_000; time++) await renderOnce(page)
for (let time = 0; time < 1_000; time++) for (const leaf of [failing, failed, page]) await renderOnce(leaf)

function renderOnce(leaf: TreeLeaf): Promise<void> {
  const layouts = [{ Component: DefaultLayout, css: [], ErrorPage: null }]
  const address = { url: new URL('http://localhost/') }
  const platform = {
    side: 'server',
    host: 'localhost',
    search: '',
    page: 0,
    reload() {},
  } as const
  return new Promise((resolve) => {
    render(createAppTree({ layouts, leaf, data: [], params: {}, address }, platform), {
      onError() {},
      onShellReady: resolve,
      onShellError: () => resolve(),
    })
  })
}
