import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Build } from '../build-output/load-build.ts'
import type { Failures } from '../failures/failures.ts'
import type { ServerMapper } from '../failures/stacks/source-map.ts'
import type { UploadSpace } from '../forms/upload-files.ts'
import type { Format } from '../http/negotiate.ts'
import type { PolicyWatch } from '../http/policy-watch.ts'
import type { MetricsRecorder } from '../metrics/metrics-recorder.ts'
import type { Options } from '../options/options.ts'
import type { RenderToPipe } from './react-renderer.ts'
import type { RenderSlots } from './render-slots.ts'
import type { RequestContext } from './request-context.ts'

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
  handled: WeakMap<FastifyRequest, { visit: RequestContext; format: Format }>
  slots: RenderSlots
  uploads: UploadSpace
  policies: PolicyWatch
  metrics: MetricsRecorder
}
