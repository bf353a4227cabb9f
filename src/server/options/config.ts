import type { FastifyServerOptions } from 'fastify'
import type { FailureRecord } from '../errors/failure-record.ts'
import type { FindTrace } from '../http/trace-context.ts'

/** Options of a site. Set them in `hydrant.config.ts`, or pass them to the plugin or to `createServer`. */
export interface SiteOptions {
  /** The path at which the site is mounted, without a slash at the end: `/shop` ('/'). */
  base?: string
  timeouts?: {
    /** Milliseconds for the guards of a page, for its loads, and for its action. After that, the response is a 504 (10 000). */
    loadMs?: number
    /** Milliseconds for rendering a document, including its stream. After that, pending parts fail (10 000). */
    renderMs?: number
    /** Milliseconds that a stopping server waits for requests in flight (10 000). For `hydrant start`. */
    drainMs?: number
    /**
     * Milliseconds after the signal to stop in which the server still accepts requests, and `/_hydrant/ready` responds
     * with 503: the time until a load balancer notices (0). For `hydrant start`.
     */
    stopDelayMs?: number
    /**
     * Milliseconds that the event loop may be blocked, for example by an endless loop. After that, the blocking code is
     * interrupted and reported as a failure, and the process exits once the other requests are done. 0 turns this off
     * (60 000; with the plugin 0). With the plugin, the error is then thrown as an uncaught exception.
     */
    hangMs?: number
  }
  /** Limits above which requests are refused. */
  limits?: {
    /** Pages that a process loads and renders at the same time. Above that, the response is a 503 (1 000). */
    maxRenders?: number
    /** Characters of a document. A longer one fails with HYD_DOCUMENT_TOO_LONG (50 000 000). */
    maxDocumentLength?: number
    /** Milliseconds that the event loop may be late. Above that, the response is a 503. 0 turns this off (0). */
    maxEventLoopDelayMs?: number
  }
  /** Host names of the site: `shop.example` or `*.shop.example`. For other hosts, the response is a 421 (any host). */
  hosts?: string[]
  /** Bytes that a body in JSON, an urlencoded form or the texts of a multipart form may have (1 048 576). */
  bodyLimit?: number
  /** Limits of forms. Above one of them, the response is a 413. */
  forms?: {
    /** Number of fields that are not files (1 000). */
    maxFields?: number
    /** Files (10). */
    maxFiles?: number
    /** Bytes of one file (10 485 760). */
    maxFileBytes?: number
    /** Bytes of the files of all forms that a process handles at the same time; 429 above that (1 073 741 824). */
    maxUploadBytes?: number
  }
  /** Other origins that may send POST, PUT, PATCH and DELETE or open WebSockets: `['https://app.example']` (none). */
  allowedOrigins?: string[]
  /** Reports that browsers send about their failures. */
  reports?: {
    /** Ask browsers to report failures, and accept their reports (true). */
    enabled?: boolean
    /** Reports that a process accepts from one address per minute (60). */
    maxPerAddress?: number
    /** Do not request or keep reports of visitors whose browser sends `DNT: 1` or `Sec-GPC: 1` (false). */
    respectPrivacySignals?: boolean
  }
  /** Send pages as Markdown to clients that prefer `text/markdown` (true). */
  markdown?: boolean
  /** Compress documents and data with brotli or gzip for clients that accept it (true). */
  compress?: boolean
  /** Send a `Content-Security-Policy` that allows only scripts with a nonce, and no frames in other sites (true). */
  csp?: boolean
  /** Send the other security headers, unless they are already set; docs/security.md (true). */
  securityHeaders?: boolean
  /** Name of the release, a version or a commit, that failures are recorded with (the build's id). */
  release?: string
  /**
   * A secret that keys the fingerprints in digests, the same on every replica: only those who know it can compute them.
   * Another secret gives every failure another fingerprint. 16 to 200 letters, digits and punctuation characters (none:
   * anyone who knows the error can compute its fingerprint).
   */
  digestKey?: string
  /**
   * Called with each failure after its log line, for a service of yours. No request waits for it, and a stopping server
   * waits for two seconds. An error of it is logged as a warning, and has no other effect.
   */
  onFailure?: (failure: FailureRecord) => unknown
  /**
   * Returns the trace of a failure, in the async context of the failure. With OpenTelemetry it is
   * `() => trace.getActiveSpan()?.spanContext()` (the request's `traceparent`).
   */
  traceOf?: FindTrace
  /**
   * Where failures are kept: a file, relative to the site's folder; `postgres://user@host/database` for sites on several
   * machines; or false, to keep nothing ('hydrant-errors.db').
   */
  ledger?: string | false
  /** Limits of the ledger. Older failures are removed. */
  ledgerLimits?: {
    /** The most failures to keep; the ones seen last stay (5 000). */
    maxFailures?: number
    /** The most occurrences of each failure to keep; the newest stay (100). */
    maxOccurrences?: number
    /** Days that a failure is kept after it was last seen (30). */
    maxAgeDays?: number
    /** Bytes of the whole ledger (100 000 000). */
    maxBytes?: number
  }
  /** The cache of the pages that export `cache`. */
  pageCache?: {
    /** Bytes of the responses that a process keeps in memory; 0 turns the cache off (67 108 864). */
    maxBytes?: number
    /**
     * The server through which several machines share the cache: `valkey://host:6379`, `redis://…`, with TLS
     * `valkeys://…` or `rediss://…`, or `postgres://user@host/database` (null: each machine has a cache of its own).
     */
    store?: string | null
    /** Send the header `Hydrant-Cache`: hit, stale, miss or pass (false). */
    header?: boolean
    /**
     * The header by which a CDN learns the tags of a page: 'cache-tag' has commas between them, 'surrogate-key' has
     * spaces ('cache-tag').
     */
    tagHeader?: 'cache-tag' | 'surrogate-key'
  }
  /** React's server build for rendering: 'bun' writes strings and is faster, 'node' writes bytes ('bun'). */
  reactServer?: 'bun' | 'node'
}

/** Options of `hydrant start` and `createServer`. An app of yours has Fastify's own options in their place. */
export interface ServerOptions extends SiteOptions {
  timeouts?: SiteOptions['timeouts'] & {
    /** Milliseconds for receiving the headers of a request. After that, the response is a 408 (20 000). */
    headersMs?: number
    /** Milliseconds that a whole request may take to arrive, its body included, before it is refused with 408 (300 000). */
    requestMs?: number
    /** Milliseconds that a client may read nothing of its response. After that, the connection is closed (30 000). */
    sendMs?: number
    /** Milliseconds that an idle connection is kept open for the next request (72 000). */
    keepAliveMs?: number
  }
  limits?: SiteOptions['limits'] & {
    /** Connections that a process holds open at the same time. New ones above that are closed (10 000). */
    maxConnections?: number
    /** Bytes of the URL and all headers of a request. Above that, the response is a 431 (16 384). */
    maxHeaderBytes?: number
  }
  /** Proxies whose forwarded headers are trusted, as in Fastify's option of the same name, but not a number (false). */
  trustProxy?: NonNullable<FastifyServerOptions['trustProxy']>
  /** Which headers those proxies set: `X-Forwarded-For`, `-Host` and `-Proto`, or RFC 7239's `Forwarded` ('x-forwarded'). */
  forwardedHeader?: 'x-forwarded' | 'forwarded'
  /** The proxy removes `base` from the paths that it forwards (false). */
  proxyStripsBase?: boolean
  /** Log a line for each request (false). */
  logRequests?: boolean
  /** TCP port; 0 for any free port (3000). For `hydrant start` and `hydrant dev`. */
  port?: number
  /** Address to listen on ('127.0.0.1'; 'localhost' in development). For `hydrant start` and `hydrant dev`. */
  host?: string
  /** Socket file to listen on, instead of host and port (none). For `hydrant start`. */
  socket?: string
  /** Number of processes that serve; 'auto' for as many as the machine can run in parallel (1). For `hydrant start`. */
  workers?: number | 'auto'
  /** Lowest level that is logged: fatal, error, warn, info, debug, trace or silent ('info'). */
  logLevel?: string
  /** The operators' own listener: the console, its JSON API and metrics. For `hydrant start`. */
  admin?:
    | boolean
    | {
        /** Address to listen on. If other machines can reach it, `token` is required ('127.0.0.1'). */
        host?: string
        /** TCP port; 0 for any free port (9320 if it is free, otherwise there is a warning and no console). */
        port?: number
        /** What operators sign in with; HYDRANT_ADMIN_TOKEN keeps it out of the code (none). */
        token?: string
        /** A second token, which gives read access to pages, API and metrics; HYDRANT_ADMIN_READ_TOKEN (none). */
        readToken?: string
      }
}

/** Options of esbuild for the site's bundles, with the same names. Only `hydrant build` and `hydrant dev` use them. */
export interface EsbuildOptions {
  plugins?: readonly EsbuildPlugin[]
  loader?: Record<string, string>
  define?: Record<string, string>
  alias?: Record<string, string>
}

/** An esbuild plugin (https://esbuild.github.io/plugins/). */
export interface EsbuildPlugin {
  name: string
  // esbuild's own type is not named here: a running server has no need of esbuild.
  setup(build: never): void | Promise<void>
}

/** The default export of `hydrant.config.ts`. */
export interface Config extends ServerOptions {
  /** A function keeps packages that only the build needs from being loaded by `hydrant start`. */
  esbuild?: EsbuildOptions | (() => EsbuildOptions | Promise<EsbuildOptions>)
  /** Compile components for the browser with React Compiler, which the site installs: `oxc-transform-react` (false). */
  reactCompiler?: boolean
  /** Check components with React's `<StrictMode>` in the pages of `hydrant dev` (false). */
  strictMode?: boolean
}

/** Returns the given configuration, for type checking: `export default defineConfig({ base: '/shop' })`. */
export function defineConfig(config: Config): Config {
  return config
}
