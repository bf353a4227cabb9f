// Requests pages as the client does when it navigates without loading a document.

import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import type { Test } from 'tap'
import { buildFolder, readManifest } from '../../src/server/build-output/read-build.ts'
import {
  BUILD_HEADER,
  LAYOUTS_HEADER,
  NAVIGATION_MARK,
  type NavigationLine,
} from '../../src/shared/wire/navigation-protocol.ts'

/** Returns the URL that a page requests when it navigates to `url`. */
export function marked(url: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}${NAVIGATION_MARK}`
}

/** Returns the headers that a page of that build sends. `layouts` are the keys of its current layouts. */
export function navigationHeaders(dir: string, layouts: readonly string[] = []): Record<string, string> {
  return headersOfBuild(readManifest(buildFolder(dir)).buildId, layouts)
}

export function headersOfBuild(buildId: string, layouts: readonly string[]): Record<string, string> {
  return { [BUILD_HEADER]: buildId, [LAYOUTS_HEADER]: layouts.join(' ') || 'none' }
}

export function linesOf(text: string): NavigationLine[] {
  const lines = text.split('\n').filter((line) => line !== '')
  // The cast is safe because the server writes nothing else.
  return lines.map((line) => JSON.parse(line) as NavigationLine)
}

export function linesOfResponse({ body }: LightMyRequestResponse): NavigationLine[] {
  return linesOf(body)
}

/** Returns the lines of one kind. */
export function pick<Kind extends NavigationLine[0]>(lines: readonly NavigationLine[], kind: Kind) {
  return lines.filter((line): line is Extract<NavigationLine, { 0: Kind }> => line[0] === kind)
}

export interface Asking {
  response: Response
  /** Resolves with the next line, or null at the end. */
  next(): Promise<NavigationLine | null>
  rest(): Promise<NavigationLine[]>
  leave(): void
}

/** Sends a request over a real socket. */
export async function askSocket(url: string, headers: Record<string, string>): Promise<Asking> {
  const controller = new AbortController()
  const response = await fetch(url, { headers, signal: controller.signal })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  async function next(): Promise<NavigationLine | null> {
    for (;;) {
      const end = text.indexOf('\n')
      if (end !== -1) {
        const [line] = linesOf(text.slice(0, end))
        text = text.slice(end + 1)
        return line ?? null
      }
      const { done, value } = (await reader?.read()) ?? { done: true, value: '' }
      if (done) return null
      text += value
    }
  }
  return {
    response,
    next,
    async rest() {
      const lines: NavigationLine[] = []
      for (let line = await next(); line; line = await next()) lines.push(line)
      return lines
    },
    leave: () => controller.abort(),
  }
}

export async function listen(t: Pick<Test, 'teardown'>, app: FastifyInstance): Promise<string> {
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(() => app.server.closeAllConnections())
  return origin
}

/** Creates the gates of a site. The source of this function is also part of sites, so it uses nothing around it. */
export function createGates(): Gated {
  const gates = new Map<string, Gate>()
  const counts: Record<string, number> = {}
  function defer() {
    const deferred = { promise: Promise.resolve<unknown>(null), resolve(_: unknown) {}, reject(_: unknown) {} }
    deferred.promise = new Promise((resolve, reject) => Object.assign(deferred, { resolve, reject }))
    return deferred
  }
  function createGate(): Gate {
    const [opening, arrival, leaving] = [defer(), defer(), defer()]
    opening.promise.catch(() => {})
    return {
      opened: opening.promise,
      open: opening.resolve,
      fail: opening.reject,
      reached: arrival.promise,
      arrive: () => arrival.resolve(null),
      left: leaving.promise,
      leave: leaving.resolve,
    }
  }
  return {
    gate(name) {
      const gate = gates.get(name) ?? createGate()
      gates.set(name, gate)
      return gate
    },
    count(name) {
      counts[name] = (counts[name] ?? 0) + 1
    },
    counts,
  }
}

/** Code for a `server.ts`: loads wait at `app.gate(name)`, and `app.count(name)` counts. */
export const GATES = `const gates = (${createGates})()
  app.decorate('gate', gates.gate)
  app.decorate('count', gates.count)
  globalThis.hydrantGated = gates
`

export interface Gate {
  opened: Promise<unknown>
  open(value?: unknown): void
  fail(reason: unknown): void
  reached: Promise<unknown>
  arrive(): void
  /** Resolves with the reason when the load's signal aborts. */
  left: Promise<unknown>
  leave(reason: unknown): void
}

export interface Gated {
  gate(name: string): Gate
  count(name: string): void
  counts: Record<string, number>
}

/** Returns the gates of the site that was served last in this process. */
export function gatesOfLast(): Gated {
  // The cast is safe because `GATES` has set them.
  return (globalThis as unknown as { hydrantGated: Gated }).hydrantGated
}

/** Returns the body of a load that waits at a gate. */
export const waitAt = (name: string, result: string) =>
  `  const gate = ctx.app.gate('${name}')\n  ctx.signal.addEventListener('abort', () => gate.leave(ctx.signal.reason))\n  gate.arrive()\n  await gate.opened\n  return ${result}`

export const load = (body: string) =>
  `import { HttpError, notFound, redirect } from 'hydrant'\nvoid [HttpError, notFound, redirect]\nexport const load = async (ctx) => {\n${body}\n}\n`
