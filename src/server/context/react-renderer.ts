import type { ReactNode } from 'react'
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

/** `renderToPipeableStream` of one of React's server builds, with the part of its type that is used. */
export type RenderToPipe = (
  node: ReactNode,
  options: RenderToPipeableStreamOptions,
) => { pipe(destination: RenderDestination): unknown; abort(reason?: unknown): void }

let loaded: Options['reactServer'] | null = null

/**
 * Loads one of React's server builds. Two of them must not share a process, as each makes itself the one that
 * `preload()` and its kin speak to: throws HYD_REACT_SERVER_MIXED.
 */
export async function loadRenderer(name: Options['reactServer']): Promise<RenderToPipe> {
  if (loaded !== null && loaded !== name) throw createHydrantError('HYD_REACT_SERVER_MIXED', [name, loaded])
  loaded = name
  const react = name === 'bun' ? await import('react-dom/server.bun') : await import('react-dom/server.node')
  // Both take any object with `write`, `end`, `flush`, `destroy` and `on`; the type names Node's writable stream.
  return react.renderToPipeableStream as unknown as RenderToPipe
}
