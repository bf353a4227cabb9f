// Documents that React renders in two steps: the shell once, and the rest for each visitor.

import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import type { ReactNode } from 'react'
import { resumeToPipeableStream } from 'react-dom/server.bun'
import type { PostponedState } from 'react-dom/static'
import { prerender } from 'react-dom/static.edge'

export interface Shell {
  html: string
  /** The postponed state as JSON; null for a document that is complete. */
  state: string | null
  /** The state as JSON before the shell was read. */
  earlyState: string
  errors: unknown[]
}

/** Renders everything that needs no pending promise. */
export async function prerenderShell(element: ReactNode, reason: Error): Promise<Shell> {
  const errors: unknown[] = []
  const stop = new AbortController()
  const prerendering = prerender(element, {
    signal: stop.signal,
    onError: (error) => void errors.push(error),
  })
  // React renders in a microtask.
  const stopped = setImmediate().then(() => stop.abort(reason))
  const [{ prelude, postponed }] = await Promise.all([prerendering, stopped])
  const earlyState = JSON.stringify(postponed)
  const html = await text(prelude)
  return { html, earlyState, state: postponed && JSON.stringify(postponed), errors }
}

export interface ResumeOptions {
  nonce?: string
  onError?: (error: unknown) => string
}

/** Renders what the shell lacks. */
export async function resumeShell(element: ReactNode, state: string | null, options: ResumeOptions = {}) {
  if (state === null) throw new Error('The document is complete.')
  // React's type of the state has a symbol that no value has.
  return resumeFrom(element, JSON.parse(state) as PostponedState, options)
}

/** Renders what the shell lacks, from a state that React changes. */
export async function resumeFrom(element: ReactNode, state: PostponedState, { nonce, onError }: ResumeOptions = {}) {
  const { pipe } = await resumeToPipeableStream(element, state, {
    ...(nonce !== undefined && { nonce }),
    onError: onError ?? (() => 'DIGEST'),
  })
  return text(pipe(new PassThrough()))
}
