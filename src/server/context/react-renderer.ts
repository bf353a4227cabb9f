import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createElement, type ReactNode, Suspense, use, version } from 'react'
import type { RenderToPipeableStreamOptions } from 'react-dom/server'
import type { PostponedState } from 'react-dom/static'
import type { prerender } from 'react-dom/static.edge'
import { createHydrantError } from '../errors/hydrant-error.ts'
import type { Options } from '../options/options.ts'

/** The methods of a stream that React calls. */
export interface RenderDestination {
  write(chunk: string | Uint8Array): boolean
  flush?(): void
  end(): unknown
  destroy(error?: Error): unknown
  on(event: string, listener: () => void): unknown
}

/** The part of `renderToPipeableStream`'s type that Hydrant uses. */
export type RenderToPipe = (
  node: ReactNode,
  options: RenderToPipeableStreamOptions,
) => { pipe(destination: RenderDestination): unknown; abort(reason?: unknown): void }

/** React's build for Bun has `renderToPipeableStream` from version 19.3 on. */
const hasBunStreams = !version.startsWith('19.2.')

let loaded: Options['reactServer'] | null = null

/**
 * Loads one of React's server builds. Throws HYD_REACT_SERVER_MIXED when the other build is loaded already: each build
 * registers itself as the one that `preload()` and similar functions call.
 */
export async function loadRenderer(wanted: Options['reactServer']): Promise<RenderToPipe> {
  // Both builds take any object with `write`, `end`, `flush`, `destroy` and `on`; the type asks for Node's writable
  // stream.
  return (await importBuild(wanted)).renderToPipeableStream as unknown as RenderToPipe
}

/**
 * Loads the function of the same build that renders the missing parts of a shell. React changes the state, so a state
 * can be used for one document only. Throws HYD_REACT_SERVER_MIXED.
 */
async function loadResumer(wanted: Options['reactServer']): Promise<(state: PostponedState) => RenderToPipe> {
  const { resumeToPipeableStream } = await importBuild(wanted)
  return (state) => (node, options) => {
    const { nonce, onError, onShellReady, onShellError, onAllReady } = options
    const callbacks = { onError, onShellReady, onShellError, onAllReady }
    // The types ask for Node's writable stream, as for the renderer. They miss the callbacks, which both builds call as
    // those of `renderToPipeableStream`.
    return resumeToPipeableStream(node, state, { nonce, ...callbacks } as object) as unknown as ReturnType<RenderToPipe>
  }
}

async function importBuild(wanted: Options['reactServer']) {
  const name = hasBunStreams ? wanted : 'node'
  if (loaded !== null && loaded !== name) throw createHydrantError('HYD_REACT_SERVER_MIXED', [name, loaded])
  loaded = name
  return name === 'bun' ? await import('react-dom/server.bun') : await import('react-dom/server.node')
}

/** Renders documents in two steps: the shell once, and the missing parts for each visitor. */
export interface ShellRenderer {
  prerender: typeof prerender
  /** Returns the function that renders the missing parts of a shell. A state can be used for one document only. */
  resume(state: PostponedState): RenderToPipe
  /** The texts of React's own scripts in shells. They are the same in each shell, and have no nonce. */
  scripts: readonly string[]
}

/**
 * Loads React's build for shells. The rest is rendered by the build that `loadRenderer` loads. React's build for Bun does
 * not export `prerender`.
 *
 * perf: the build for Node.js enables an `AsyncLocalStorage` for the whole process, 0.5 % of the time of a stored page and
 * 1.5 % of a rendered one before Node.js 24, decision 050
 */
export async function loadShellRenderer(wanted: Options['reactServer']): Promise<ShellRenderer> {
  const { prerender } = await import('react-dom/static.edge')
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
