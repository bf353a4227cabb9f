import { type ReactNode, version } from 'react'
import type { RenderToPipeableStreamOptions } from 'react-dom/server'
import type { PostponedState } from 'react-dom/static'
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
export async function loadResumer(wanted: Options['reactServer']): Promise<(state: PostponedState) => RenderToPipe> {
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
