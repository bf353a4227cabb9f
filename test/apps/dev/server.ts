import type { FastifyInstance } from 'fastify'
import { version } from './parts/version.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Resolves at the next request of `/open`. */
    gate(): Promise<string>
    /** The version, and how many times the server has started. */
    started: string
  }
}

declare global {
  var starts: number
}

globalThis.starts ??= 0

export default async function server(app: FastifyInstance) {
  globalThis.starts++
  app.decorate('started', [version, globalThis.starts].join(' '))
  let open: ((text: string) => void) | undefined
  app.decorate(
    'gate',
    () =>
      new Promise<string>((resolve) => {
        open = resolve
      }),
  )
  app.get('/open', async () => {
    open?.('opened')
    return String(open !== undefined)
  })
}
