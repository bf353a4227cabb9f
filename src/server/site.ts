import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Build } from './build.ts'
import type { RenderToPipe } from './document.ts'
import { createHydrantError } from './errors.ts'
import type { Failures } from './failures.ts'
import type { Measures } from './measures.ts'
import type { Format } from './negotiate.ts'
import type { Options } from './options.ts'
import type { PolicyWatch } from './policy-watch.ts'
import type { RenderSlots } from './render-slots.ts'
import type { ServerMapper } from './source-map.ts'
import type { UploadSpace } from './temporary-files.ts'
import type { Visit } from './visit.ts'

/** A site that is being served: what every request of it needs. */
export interface Site {
  build: Build
  options: Pick<
    Options,
    'base' | 'timeouts' | 'limits' | 'bodyLimit' | 'forms' | 'compress' | 'csp' | 'reports' | 'securityHeaders'
  >
  /** The instance that the site's own plugin has decorated. */
  app: FastifyInstance
  failures: Failures
  /** Leads the server's code to its source. */
  mapper: ServerMapper
  render: RenderToPipe
  /** Requests that an error handler of the site has answered, and how. */
  handled: WeakMap<FastifyRequest, { visit: Visit; format: Format }>
  slots: RenderSlots
  uploads: UploadSpace
  policies: PolicyWatch
  /** Null when nobody measures. */
  measures: Measures | null
}

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
