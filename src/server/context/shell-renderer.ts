import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createElement, Suspense, use } from 'react'
import type { PostponedState, prerenderToNodeStream } from 'react-dom/static'
import type { Options } from '../options/options.ts'
import { loadResumer, type RenderToPipe } from './react-renderer.ts'

/** Renders documents in two steps: the shell once, and the missing parts for each visitor. */
export interface ShellRenderer {
  prerender: typeof prerenderToNodeStream
  /** Returns the function that renders the missing parts of a shell. A state can be used for one document only. */
  resume(state: PostponedState): RenderToPipe
  /** The texts of React's own scripts in shells. They are the same in each shell, and have no nonce. */
  scripts: readonly string[]
}

/** Loads React's build for shells. The rest is rendered by the build that `loadRenderer` loads. */
export async function loadShellRenderer(wanted: Options['reactServer']): Promise<ShellRenderer> {
  // React's build for Bun does not export it.
  const { prerenderToNodeStream: prerender } = await import('react-dom/static.node')
  return { prerender, resume: await loadResumer(wanted), scripts: await readScripts(prerender) }
}

/**
 * Returns the scripts that React writes into the shell of a document that has nothing but a pending part and a form.
 */
async function readScripts(prerender: ShellRenderer['prerender']): Promise<readonly string[]> {
  const pending = new Promise<never>(() => {})
  const Pending = () => use(pending)
  const form = createElement('form', { action: () => {} })
  const body = createElement('body', null, form, createElement(Suspense, null, createElement(Pending)))
  const stop = new AbortController()
  const rendering = prerender(createElement('html', null, body), { signal: stop.signal, onError() {} })
  await nextTurn()
  stop.abort()
  const { prelude } = await rendering
  return [...(await text(prelude)).matchAll(/<script[^>]*>(.*?)<\/script>/gs)].map(([, script = '']) => script)
}
