import { once } from 'node:events'
import { createServer } from 'node:net'
import { createHydrantError, type HydrantError } from '../errors/hydrant-error.ts'
import type { AdminOptions } from '../options/options.ts'

export const PORT_IN_USE = 'HYD_ADMIN_PORT_IN_USE'

/**
 * Opens and closes the configured port. The admin listener opens after the first response, and a server that cannot open
 * it must not take requests before. Throws HYD_ADMIN_PORT_IN_USE and HYD_ADMIN_LISTEN_FAILED.
 */
export async function tryAdminPort({ host, port }: AdminOptions): Promise<void> {
  if (port === null) return
  const server = createServer().listen({ host, port })
  try {
    await once(server, 'listening')
  } catch (cause) {
    throw createAdminError(host, port, cause)
  }
  server.close()
  await once(server, 'close')
}

export function createAdminError(host: string, port: number, cause: unknown): HydrantError {
  // Node's errors have a code.
  const { code, message } = cause as NodeJS.ErrnoException
  return code === 'EADDRINUSE'
    ? createHydrantError(PORT_IN_USE, [port, host], cause)
    : createHydrantError('HYD_ADMIN_LISTEN_FAILED', [host, port, message], cause)
}
