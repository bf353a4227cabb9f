import type { Server } from 'node:http'

/** Milliseconds after which work that has waited for a first response begins without one. */
const MAX_WAIT_MS = 1_000

/**
 * Resolves when a server has sent its first response, or after a second. What a process does only once, and not for the
 * site, waits for it: otherwise it would delay that response.
 */
export function firstResponse(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, MAX_WAIT_MS)
    server.once('request', (_request, response) => {
      response.once('close', () => {
        clearTimeout(timer)
        resolve()
      })
    })
  })
}
