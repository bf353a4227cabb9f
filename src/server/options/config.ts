import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify'
import type { Params } from '../../shared/page-types.ts'
import type { FailureRecord } from '../errors/failure-record.ts'
import type { FindTrace } from '../http/trace-context.ts'

/** What a `load` is given. */
export interface LoadContext<Path extends string = string> {
  /** Fastify's request, with whatever its plugins decorate it with. */
  request: FastifyRequest
  /** Fastify's reply: set headers, cookies or a status on it. */
  reply: FastifyReply
  /** Fastify's instance, with its decorators. */
  app: FastifyInstance
  /** Parameters of the path, decoded once. */
  params: Params<Path>
  /** The address as the visitor sees it. */
  url: URL
  /** Aborts when the visitor is gone or the deadline has passed. */
  signal: AbortSignal
}

/** What an `action` is given. */
export interface ActionContext<Path extends string = string> extends LoadContext<Path> {
  /**
   * The form that was sent, urlencoded or multipart; empty for any other body. Its files lie on the disk until the
   * answer has been sent. JSON is in `request.body`.
   */
  form: FormData
}

/** Options of a site: in `hydrant.config.ts`, given to the plugin, or to `createServer`. */
export interface SiteOptions {
  /** Path below which the site is mounted, without a slash at its end: `/shop` ('/'). */
  base?: string
  timeouts?: {
    /** Milliseconds that the loads of a page, or its action, may take before the answer is 504 (10 000). */
    loadMs?: number
    /** Milliseconds that rendering may take, streams included, before what is pending fails (10 000). */
    renderMs?: number
    /** Milliseconds that requests in flight are given to finish when the server is told to stop (10 000). */
    drainMs?: number
    /**
     * Milliseconds between the signal to stop and the end of taking requests, in which `/_hydrant/ready` says 503: what a
     * load balancer takes to notice (0). For `hydrant start`.
     */
    stopDelayMs?: number
    /**
     * Milliseconds that the event loop may be held up, by a loop without an end for one, before what holds it up is cut off, told of as a
     * failure, and the process ended when the other requests are done; 0 for as long as it takes (60 000; with the plugin 0). With
     * the plugin the error is then thrown as an exception that nothing has caught.
     */
    hangMs?: number
  }
  /** What there may be, before a request is refused. */
  limits?: {
    /** Pages that are being made at the same time; 503 (1 000). */
    maxRenders?: number
    /** Bytes of the URL; 414 (8 192). */
    maxUrlBytes?: number
    /** Requests that wait on a connection for the one before them, before it is closed (100). */
    maxPipelined?: number
    /** Characters of a document, before it fails (50 000 000). */
    maxDocumentLength?: number
    /** Milliseconds that the event loop may be late, before requests are answered 503; 0 for any (0). */
    maxEventLoopDelayMs?: number
  }
  /** Host names that the site is asked by, `shop.example` or `*.shop.example`; others are answered 421 (any). */
  hosts?: string[]
  /** Bytes that a body in JSON, an urlencoded form or the texts of a multipart form may have (1 048 576). */
  bodyLimit?: number
  /** What a form may hold, before it is refused with 413. */
  forms?: {
    /** Fields that are no files (1 000). */
    maxFields?: number
    /** Bytes of one field (1 048 576). */
    maxFieldBytes?: number
    /** Files (10). */
    maxFiles?: number
    /** Bytes of one file (10 485 760). */
    maxFileBytes?: number
    /** Bytes of the files of all forms that are being answered, in a process; 429 (1 073 741 824). */
    maxUploadBytes?: number
  }
  /** Origins of other sites whose forms and scripts may send what changes something: `['https://app.example']` ([]). */
  allowedOrigins?: string[]
  /** What browsers tell of failures in them. */
  reports?: {
    /** Ask browsers to report, and take what they send (true). */
    enabled?: boolean
    /** Reports that a page sends at most (10). */
    maxPerPage?: number
    /** Reports that are taken from one address in a minute (60). */
    maxPerAddress?: number
    /** Reports that are taken in a minute, from all addresses together (600). */
    maxTotal?: number
    /** Bytes that a report may have (32 768). */
    maxBytes?: number
    /** Neither ask nor keep reports of visitors whose browser sends `DNT: 1` or `Sec-GPC: 1` (false). */
    respectPrivacySignals?: boolean
  }
  /** Compress documents and data as brotli or gzip for clients that accept it (true). */
  compress?: boolean
  /** Send a `Content-Security-Policy` by which scripts run with a nonce only, and no other site frames the page (true). */
  csp?: boolean
  /** Send the other headers that keep browsers from harm, unless they are set: docs/security.md (true). */
  securityHeaders?: boolean
  /** Name of what is running, a version or a commit, which failures are kept with (the build's id). */
  release?: string
  /**
   * A secret that keys the fingerprints in digests, the same on every replica: only those who know it can compute them.
   * Another secret gives every failure another fingerprint. 16 to 200 letters, digits and punctuation characters (none:
   * anyone who knows the error can compute its fingerprint).
   */
  digestKey?: string
  /**
   * Is told of each failure once its line is logged, for a service of yours. It may take its time: no request waits, and a
   * server that stops waits for two seconds. What it throws is logged as a warning and changes nothing.
   */
  onFailure?: (failure: FailureRecord) => unknown
  /**
   * Tells which trace a failure belongs to, when it happens: `() => trace.getActiveSpan()?.spanContext()` with OpenTelemetry (the
   * request's `traceparent`).
   */
  traceOf?: FindTrace
  /**
   * Where failures are kept: a file, relative to the site's folder; `postgres://user@host/database` for sites on several
   * machines; or false, to keep nothing ('hydrant-errors.db').
   */
  ledger?: string | false
  /** Bounds of what is kept. */
  ledgerLimits?: {
    /** The most failures to keep; the ones seen last stay (5 000). */
    maxFailures?: number
    /** The most occurrences of each failure to keep; the newest stay (100). */
    maxOccurrences?: number
    /** Days that a failure is kept (30). */
    maxAgeDays?: number
    /** Bytes of all that is stored (100 000 000). */
    maxBytes?: number
  }
  /** Which of React's server builds renders: 'bun' writes strings and is faster, 'node' writes bytes ('bun'). */
  reactServer?: 'bun' | 'node'
}

/** What only a server of Hydrant's own takes: `hydrant start`, `createServer`. In an app of yours it is Fastify's. */
export interface ServerOptions extends SiteOptions {
  timeouts?: SiteOptions['timeouts'] & {
    /** Milliseconds that a request's headers may take to arrive, before it is refused with 408 (20 000). */
    headersMs?: number
    /** Milliseconds that a whole request may take to arrive, its body included, before it is refused with 408 (300 000). */
    requestMs?: number
    /** Milliseconds that an answer may wait without the visitor taking any of it, before the connection is closed (30 000). */
    sendMs?: number
    /** Milliseconds that a connection is kept open without a request (72 000). */
    keepAliveMs?: number
  }
  limits?: SiteOptions['limits'] & {
    /** Connections that are open at the same time; further ones are closed (10 000). */
    maxConnections?: number
    /** Bytes of all headers together, with the URL; 431 (16 384). */
    maxHeaderBytes?: number
  }
  /** Which proxies' forwarded headers to believe; Fastify's own option (false). */
  trustProxy?: NonNullable<FastifyServerOptions['trustProxy']>
  /** Which headers those proxies set: `X-Forwarded-For`, `-Host` and `-Proto`, or RFC 7239's `Forwarded` ('x-forwarded'). */
  forwardedHeader?: 'x-forwarded' | 'forwarded'
  /** The proxy takes `base` away from the paths that it passes on (false). */
  proxyStripsBase?: boolean
  /** Log a line for each request (false). */
  logRequests?: boolean
  /** TCP port, 0 for any free one (3000). For `hydrant start`. */
  port?: number
  /** Address to listen on ('127.0.0.1'). For `hydrant start`. */
  host?: string
  /** A socket file to listen on, instead of host and port (none). For `hydrant start`. */
  socket?: string
  /** Processes that serve; 'auto' for as many as the machine can run at once (1). For `hydrant start`. */
  workers?: number | 'auto'
  /** Fastify's levels: fatal, error, warn, info, debug, trace, silent ('info'). */
  logLevel?: string
  /** The operators' own listener: the console, its JSON API and metrics. For `hydrant start`. */
  admin?:
    | boolean
    | {
        /** Address to listen on; beyond this machine it takes a token ('127.0.0.1'). */
        host?: string
        /** TCP port, 0 for any free one; without one 9320, if that is free. */
        port?: number
        /** What operators sign in with; HYDRANT_ADMIN_TOKEN keeps it out of the code (none). */
        token?: string
        /** Another one, for who may read pages, API and metrics, and change nothing; HYDRANT_ADMIN_READ_TOKEN (none). */
        readToken?: string
      }
}

/** esbuild's options of the same names, for the site's bundles. Only `hydrant build` and `hydrant dev` read them. */
export interface EsbuildOptions {
  plugins?: readonly EsbuildPlugin[]
  loader?: Record<string, string>
  define?: Record<string, string>
  alias?: Record<string, string>
}

/** The shape of an esbuild plugin (https://esbuild.github.io/plugins/). */
export interface EsbuildPlugin {
  name: string
  // esbuild's own type is not named here: a running server has no need of esbuild.
  setup(build: never): void | Promise<void>
}

/** What `hydrant.config.ts` exports. */
export interface Config extends ServerOptions {
  /** A function keeps packages that only the build needs from being loaded by `hydrant start`. */
  esbuild?: EsbuildOptions | (() => EsbuildOptions | Promise<EsbuildOptions>)
}

/** Types the site's configuration: `export default defineConfig({ base: '/shop' })`. Returns what it is given. */
export function defineConfig(config: Config): Config {
  return config
}
