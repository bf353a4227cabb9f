import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Build } from '../build-output/load-build.ts'
import type { SitePages } from '../cache/app-page-cache.ts'
import type { PageCache } from '../cache/page-cache.ts'
import type { PrerenderedPages, ResponseCollector } from '../cache/prerendered-pages.ts'
import type { Failures } from '../failures/failures.ts'
import type { ServerMapper } from '../failures/stacks/source-map.ts'
import type { UploadSpace } from '../forms/multipart.ts'
import type { EtagWriter } from '../http/etag.ts'
import type { FormatHeaders } from '../http/formats.ts'
import type { PolicyWatch } from '../http/policy-watch.ts'
import type { LivePages } from '../live/live-pages.ts'
import type { MarkdownConverter } from '../markdown/markdown-converter.ts'
import type { RunStep } from '../metrics/instrument.ts'
import type { MetricsRecorder } from '../metrics/metrics-recorder.ts'
import type { Options } from '../options/options.ts'
import type { RenderToPipe, ShellRenderer } from './react-renderer.ts'
import type { RenderSlots } from './render-slots.ts'

/** A mounted site: everything that its requests have in common. */
export interface Site {
  build: Build
  /** Whether `hydrant dev` runs it. */
  isDevelopment: boolean
  options: Pick<
    Options,
    | 'base'
    | 'timeouts'
    | 'limits'
    | 'bodyLimit'
    | 'forms'
    | 'compress'
    | 'csp'
    | 'reports'
    | 'securityHeaders'
    | 'markdown'
    | 'pageCache'
    | 'serverTiming'
  >
  /** The base as browsers write it: empty, or a path without a slash at the end. */
  baseInUrls: string
  /** The instance with the decorators of the site's `server.ts`. */
  app: FastifyInstance
  /** The variables of `publicEnv` as JSON that is safe inside a script; null without any. */
  publicEnv: string | null
  failures: Failures
  /** Maps frames of the server bundle to the site's source. */
  mapper: ServerMapper
  render: RenderToPipe
  /** Renders pages with stored shells; null if there are none, and in development. */
  shells: ShellRenderer | null
  slots: RenderSlots
  uploads: UploadSpace
  /** Null in production. */
  policies: PolicyWatch | null
  etags: EtagWriter
  /** The headers of each format. */
  headers: FormatHeaders
  /** Stores the responses of pages with the export `cache` or `prerender`; null if there are none, and in development. */
  cache: PageCache | null
  /** The stored and the live pages, for what changes both; null without any. */
  pages: SitePages | null
  /** The open pages that refresh when something is published; null if there are none, and while the site is built. */
  live: LivePages | null
  /** The part of the keys of `cache` that all pages have. */
  cacheScope: string
  /** The responses that the build contains and that this process may serve; null for none. */
  prerendered: PrerenderedPages | null
  /** Takes the responses of prerendered pages while the site is built; null in a server. */
  collector: ResponseCollector | null
  markdown: MarkdownConverter
  /** Whether the documents are written to files, for a host without this server. */
  isExported: boolean
  metrics: MetricsRecorder
  /** The release that failures are recorded with: the option, or the build's id. */
  release: string
  /** Runs steps inside the option `instrument`; null without it. */
  runStep: RunStep | null
  /**
   * Returns the mark of a request's visitor: empty for nobody, and if the site cannot say. Never rejects. Null without the
   * option `identifyVisitor`.
   */
  markVisitor: ((request: FastifyRequest) => Promise<string>) | null
}
