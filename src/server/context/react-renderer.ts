import { type ReactNode, version } from 'react'
import type { RenderToPipeableStreamOptions } from 'react-dom/server'
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
  const name = hasBunStreams ? wanted : 'node'
  if (loaded !== null && loaded !== name) throw createHydrantError('HYD_REACT_SERVER_MIXED', [name, loaded])
  loaded = name
  const react = name === 'bun' ? await import('react-dom/server.bun') : await import('react-dom/server.node')
  // Both builds take any object with `write`, `end`, `flush`, `destroy` and `on`; the type asks for Node's writable
  // stream.
  return react.renderToPipeableStream as unknown as RenderToPipe
}
