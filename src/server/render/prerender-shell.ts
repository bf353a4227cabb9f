import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { ReactNode } from 'react'
import type { ShellRenderer } from '../context/react-renderer.ts'
import { TAILS } from './document-sink.ts'

export type PrerenderedShell =
  /** The document without its end. `state` is JSON for `resume`; null if nothing is missing. */
  | { kind: 'shell'; html: string; state: string | null }
  /** A component has thrown. */
  | { kind: 'thrown'; thrown: unknown }
  /** A component outside of every `<Suspense>` waits for something. */
  | { kind: 'empty' }

const COMPLETE = new Error('The shell is complete.')

/**
 * The pause before React is stopped, in milliseconds, for each attempt. Usually the first one is enough: only the
 * visitor's parts are missing. If the shell is empty, a component outside of `<Suspense>` may wait for a module that
 * is being loaded, so the shell is rendered again.
 */
const PAUSES_MS = [0, 20, 200]

/**
 * Renders the shell of a document: everything except for the parts that wait for something. Stopping too early does
 * no harm, because a part that is missing in the shell is rendered for each visitor.
 */
export async function prerenderShell(element: ReactNode, { prerender }: ShellRenderer): Promise<PrerenderedShell> {
  for (const pauseMs of PAUSES_MS) {
    const shell = await prerenderOnce(element, prerender, pauseMs)
    if (shell.kind !== 'empty') return shell
  }
  return { kind: 'empty' }
}

async function prerenderOnce(
  element: ReactNode,
  prerender: ShellRenderer['prerender'],
  pauseMs: number,
): Promise<PrerenderedShell> {
  const stop = new AbortController()
  const errors: unknown[] = []
  const rendering = prerender(element, {
    signal: stop.signal,
    // All content in its place. Otherwise React writes large parts at the end, with a script that moves them.
    progressiveChunkSize: Number.MAX_SAFE_INTEGER,
    onError(thrown) {
      // React reports each part that it leaves out.
      if (thrown !== COMPLETE) errors.push(thrown)
    },
  })
  const stopping = pauseThenStop(pauseMs, stop)
  try {
    const { prelude, postponed } = await rendering
    const html = await text(prelude)
    if (errors.length > 0) return { kind: 'thrown', thrown: errors[0] }
    const tail = TAILS.find((end) => html.endsWith(end))
    if (tail === undefined) return { kind: 'empty' }
    // While React writes the shell, it notes in the state which of its scripts are in it.
    return { kind: 'shell', html: html.slice(0, -tail.length), state: postponed && JSON.stringify(postponed) }
  } catch (thrown) {
    return { kind: 'thrown', thrown: errors.length > 0 ? errors[0] : thrown }
  } finally {
    await stopping
  }
}

async function pauseThenStop(pauseMs: number, stop: AbortController): Promise<void> {
  if (pauseMs > 0) await pause(pauseMs)
  // React renders in microtasks. Each settled promise in a component takes another one.
  await nextTurn()
  await nextTurn()
  stop.abort(COMPLETE)
}
