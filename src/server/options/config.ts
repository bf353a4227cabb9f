import type { FastifyRequest, FastifyServerOptions } from 'fastify'
import type { FailureRecord } from '../errors/failure-record.ts'

/**
 * Options of a site. Set them in `hydrant.config.ts`, or pass them to the plugin or to `createServer`. The value in
 * parentheses is the default. An unknown option is the error HYD_OPTION_UNKNOWN, and an invalid value
 * HYD_OPTION_INVALID.
 */
export interface SiteOptions {
  /** The path at which the site is mounted, without a slash at the end: `/shop` (`'/'`). */
  base?: string
  /** Deadlines, in milliseconds. */
  timeouts?: {
    /**
     * Milliseconds for all guards of a page together, then for its loads, and for its action. After that, the
     * response is a 504 (10 000).
     */
    loadMs?: number
    /** Milliseconds for rendering a document, deferred data included. After that, pending parts fail (10 000). */
    renderMs?: number
    /** Milliseconds that a server which shuts down waits for requests in flight (10 000). For `hydrant start`. */
    drainMs?: number
    /**
     * Milliseconds for which the server still accepts requests after the signal to stop. In this time, the response
     * of `/_hydrant/ready` is a 503. Set it to the time that a load balancer needs to notice this (0). For
     * `hydrant start`.
     */
    stopDelayMs?: number
    /**
     * Milliseconds that the event loop may be blocked, for example by an endless loop. After that, the blocking code
     * is interrupted and reported as the failure HYD_HUNG. `hydrant start` then finishes the other requests, and
     * exits with an error. The plugin throws the error as an uncaught exception. 0 turns this off (60 000; with the
     * plugin 0). `createServer` and `hydrant dev` ignore it.
     */
    hangMs?: number
  }
  /** Limits above which requests are refused. */
  limits?: {
    /** The most pages that a process loads and renders at the same time. Above that, the response is a 503 (1 000). */
    maxRenders?: number
    /** The most characters of a document. A longer one fails with HYD_DOCUMENT_TOO_LONG (50 000 000). */
    maxDocumentLength?: number
    /**
     * The longest delay of the event loop, in milliseconds, as the average over 250 ms. Above that, the response is a
     * 503. With 0 there is no limit (0).
     */
    maxEventLoopDelayMs?: number
    /**
     * The most streams of live pages that a process holds open. Each is a connection of its own over HTTP/1.1. Above that,
     * the response is a 503, and the page does not refresh by itself (5 000).
     */
    maxLiveStreams?: number
    /** The most streams of live pages for one client address. Above that, the response is a 503 (200). */
    maxLiveStreamsPerAddress?: number
  }
  /**
   * Host names of the site: `shop.example`, or `*.shop.example` for the names below it. For other hosts, the response
   * is a 421 (none: every host is served).
   */
  hosts?: string[]
  /**
   * The most bytes of a JSON body, of an urlencoded form, or of all texts of a multipart form together. Above that,
   * the response is a 413 (1 048 576).
   */
  bodyLimit?: number
  /** Limits of forms. Above one of them, the response is a 413. */
  forms?: {
    /** The most fields that are not files (1 000). */
    maxFields?: number
    /** The most files (10). */
    maxFiles?: number
    /** The most bytes of one file (10 485 760). */
    maxFileBytes?: number
    /**
     * The most bytes of the files of all forms that a process handles at the same time. Above that, the response is a
     * 429 (1 073 741 824).
     */
    maxUploadBytes?: number
  }
  /**
   * Origins of other sites whose pages may send POST, PUT, PATCH and DELETE requests and open WebSockets:
   * `['https://app.example']` (none).
   */
  allowedOrigins?: string[]
  /** Reports that browsers send about their failures. */
  reports?: {
    /** Whether browsers report failures, and the server accepts their reports (true). */
    enabled?: boolean
    /**
     * The most reports that a process accepts from one IP address per minute. Above that, the response is a 429 (60).
     */
    maxPerAddress?: number
    /** Whether browsers that send `DNT: 1` or `Sec-GPC: 1` do not report failures (false). */
    respectPrivacySignals?: boolean
  }
  /** Whether clients that prefer `text/markdown` get pages as Markdown (true). */
  markdown?: boolean
  /** Whether documents and data are compressed with zstd, brotli or gzip, for clients that accept it (true). */
  compress?: boolean
  /**
   * Whether documents and errors have a `Content-Security-Policy`. With it, only scripts with the document's nonce or
   * hash run, and no other site can show the page in a frame (true).
   */
  csp?: boolean
  /** Whether responses have the other security headers, unless a hook or a load sets them; docs/security.md (true). */
  securityHeaders?: boolean
  /** The name of the running version, such as a commit. It is stored with each failure (the id of the build). */
  release?: string
  /**
   * A secret key for the fingerprints in digests: 16 to 200 printable ASCII characters without spaces. Set the same
   * key on every replica. With another key, every failure gets another fingerprint (none: anyone who knows an error
   * can compute its fingerprint).
   */
  digestKey?: string
  /**
   * A function that Hydrant calls with each failure after it has logged the failure, for example to send it to
   * another service. No request waits for it. A server that shuts down gives running calls two seconds. If it throws
   * or rejects, Hydrant logs a warning, at most one a minute (none).
   */
  onFailure?: (failure: FailureRecord) => unknown
  /**
   * A function that returns the trace of a failure: with OpenTelemetry, `() => trace.getActiveSpan()?.spanContext()`.
   * Hydrant calls it when the failure happens (none: the trace in the request's header `traceparent`).
   */
  traceOf?: FindTrace
  /**
   * A function that Hydrant calls around each guard, load and action, each rendered document and each deferred promise:
   * for spans, or to log what is slow. It calls `run`, which does the work. It cannot change the result (none).
   */
  instrument?: Instrument
  /**
   * Whether responses have the header `Server-Timing`, with the time of each step. Everyone can read it, so it tells where a
   * site is slow (false; true in development).
   */
  serverTiming?: boolean
  /**
   * A function that returns who sends a request: an id of the user, or nothing for a visitor who is not signed in. What a tab
   * keeps for the visitor is then not given to another one who signs in there; docs/navigation.md (none).
   */
  identifyVisitor?: IdentifyVisitor
  /**
   * Where failures are stored: a file, relative to the site's folder; a `postgres://user@host/database` URL, for a
   * site on several machines; or false, to store none (`'hydrant-errors.db'`).
   */
  ledger?: string | false
  /** Limits of the ledger. Above one of them, it removes older failures. */
  ledgerLimits?: {
    /** The most failures. Those that were seen last are kept (5 000). */
    maxFailures?: number
    /** The most occurrences of each failure. The newest are kept (100). */
    maxOccurrences?: number
    /** Days for which a failure is kept after it was last seen (30). */
    maxAgeDays?: number
    /** The most bytes of the whole ledger (100 000 000). */
    maxBytes?: number
  }
  /** The cache of the pages that export `cache` or `prerender`. */
  pageCache?: {
    /** The most bytes of memory for the stored responses of a process. 0 turns the cache off (67 108 864). */
    maxBytes?: number
    /**
     * The URL of the server through which several machines share the cache: `valkey://host:6379` or `redis://…`, with
     * TLS `valkeys://…` or `rediss://…`, or `postgres://user@host/database`. It needs the package `iovalkey` or `pg`.
     * If the package is missing, the start fails with HYD_CACHE_STORE_PACKAGE (null: each machine has a cache of its
     * own).
     */
    store?: string | null
    /** Whether responses of pages with `cache` have the header `Hydrant-Cache`: hit, stale, miss or pass (false). */
    header?: boolean
    /**
     * The header with the tags of a page, for a CDN: `'cache-tag'` has commas between the tags, `'surrogate-key'` has
     * spaces (`'cache-tag'`).
     */
    tagHeader?: 'cache-tag' | 'surrogate-key'
  }
  /**
   * React's server build that renders: `'bun'` writes strings and is faster, `'node'` writes bytes. All sites of a
   * process need the same one; otherwise the start fails with HYD_REACT_SERVER_MIXED. With React 19.2 it is always
   * `'node'` (`'bun'`).
   */
  reactServer?: 'bun' | 'node'
}

/**
 * Options of a site and of Hydrant's own server, which `hydrant start`, `hydrant dev` and `createServer` create. In
 * an app of your own, set the options of the server in Fastify.
 */
export interface ServerOptions extends SiteOptions {
  timeouts?: SiteOptions['timeouts'] & {
    /**
     * Milliseconds for the start of the site: of `server.ts` with the plugins that it registers, and of each `onReady`
     * hook. After that, the start fails with HYD_START_TIMEOUT. 0 turns this off (10 000, as in Fastify, which calls it
     * `pluginTimeout`).
     */
    startMs?: number
    /** Milliseconds for receiving the headers of a request. After that, the response is a 408 (20 000). */
    headersMs?: number
    /** Milliseconds for receiving a whole request, with its body. After that, the response is a 408 (300 000). */
    requestMs?: number
    /**
     * Milliseconds for which a client may read nothing of a response. After that, the connection is closed (30 000).
     */
    sendMs?: number
    /** Milliseconds for which an idle connection is kept open for the next request (72 000). */
    keepAliveMs?: number
  }
  limits?: SiteOptions['limits'] & {
    /** The most open connections of a process. Further connections are closed at once (10 000). */
    maxConnections?: number
    /** The most bytes of the URL and all headers of a request. Above that, the response is a 431 (16 384). */
    maxHeaderBytes?: number
  }
  /**
   * The proxies whose forwarded headers are trusted, as in Fastify's option of the same name. A number is not accepted
   * (false).
   */
  trustProxy?: NonNullable<FastifyServerOptions['trustProxy']>
  /**
   * The headers that these proxies set: `'x-forwarded'` for `X-Forwarded-For`, `-Host` and `-Proto`, or `'forwarded'`
   * for the header of RFC 7239 (`'x-forwarded'`).
   */
  forwardedHeader?: 'x-forwarded' | 'forwarded'
  /** Whether the proxy removes `base` from the paths that it forwards (false). */
  proxyStripsBase?: boolean
  /** Whether each request has a line in the log (false). */
  logRequests?: boolean
  /**
   * The TCP port to listen on; 0 for any free port. If it is taken, the start fails with HYD_PORT_IN_USE (3000). For
   * `hydrant start` and `hydrant dev`.
   */
  port?: number
  /** The address to listen on (`'127.0.0.1'`; `'localhost'` in development). For `hydrant start` and `hydrant dev`. */
  host?: string
  /**
   * The path of a socket file to listen on, instead of `host` and `port`. If another process uses the file, the start
   * fails with HYD_SOCKET_IN_USE (none). For `hydrant start`.
   */
  socket?: string
  /**
   * The number of processes that serve; `'auto'` for as many as the machine can run in parallel (1). For
   * `hydrant start`.
   */
  workers?: number | 'auto'
  /** The lowest level that is logged: fatal, error, warn, info, debug, trace or silent (`'info'`). */
  logLevel?: string
  /**
   * The operators' own listener, with the console, its JSON API and the metrics: whether it runs, or its options
   * (true). For `hydrant start`.
   */
  admin?:
    | boolean
    | {
        /**
         * The address to listen on. If other machines can reach it and there is no `token`, the start fails with
         * HYD_OPTION_ADMIN_TOKEN (`'127.0.0.1'`).
         */
        host?: string
        /**
         * The TCP port; 0 for any free port (9320; if that is taken, the site starts without the console, with a
         * warning).
         */
        port?: number
        /** The token with which operators sign in. Better set HYDRANT_ADMIN_TOKEN in the environment (none). */
        token?: string
        /**
         * A second token, with which the pages, the API and the metrics can be read, and nothing can be changed. It
         * needs `token`, and must differ from it. Better set HYDRANT_ADMIN_READ_TOKEN in the environment (none).
         */
        readToken?: string
      }
}

/** Options of esbuild for the site's bundles, with the same names. Only `hydrant build` and `hydrant dev` use them. */
export interface EsbuildOptions {
  /** Plugins, which run before those of Hydrant (none). */
  plugins?: readonly EsbuildPlugin[]
  /** Loaders by file extension: `{ '.glsl': 'text' }` (none). */
  loader?: Record<string, string>
  /** Global names and their replacements, as code: `{ VERSION: '"1.2"' }` (none). */
  define?: Record<string, string>
  /** Names of modules, and the modules to import instead (none). */
  alias?: Record<string, string>
}

/** An esbuild plugin (https://esbuild.github.io/plugins/). */
export interface EsbuildPlugin {
  name: string
  // Not esbuild's own type: `src/server` must not import esbuild.
  setup(build: never): void | Promise<void>
}

/** The trace that a failure belongs to. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  traceId: string
  /** 16 hexadecimal digits: the span that failed, or the span of the caller. */
  spanId: string
}

/** The option `traceOf`: returns the trace of the request. */
export type FindTrace = (request: FastifyRequest) => TraceContext | null | undefined

/** A part of the work for a request. */
export interface Step {
  /**
   * - `guard`, `load` and `action`: the call of one function of the site, until its promise settles. `loadVisitor` is a
   *   `load`.
   * - `render`: rendering a document, until it is complete or its shell can be sent.
   * - `deferred`: a promise in the data of a load, from the end of the load until it settles.
   * - `perRequest`: the first call of a function of `perRequest` with its arguments, until its promise settles.
   * - `cache`: a look-up in the page cache.
   * - `store`: a call of the cache's store.
   */
  kind: 'guard' | 'load' | 'action' | 'render' | 'deferred' | 'perRequest' | 'cache' | 'store'
  /** `load pages/products/[id].server.ts`, `render /products/[id]`, `deferred data.reviews`. */
  name: string
  /** The route of the page: `/products/[id]`. */
  route: string
  /** The file with the function that is called, or whose load returned the promise; undefined for other kinds. */
  file?: string | undefined
  /** The release that failures are recorded with: the option, or the build's id. */
  release: string
  request: FastifyRequest
}

/** The result of a step. */
export interface StepOutcome {
  /**
   * The error, if the step failed; otherwise null, as for `redirect()`, `notFound()` and refusals. A thrown value that is
   * not an error is its `cause`. An error that only says that the client has left is none.
   */
  error: Error | null
  /** The digest of the failure, if the step has one that is known. */
  digest?: string | undefined
}

/**
 * The option `instrument`: is called around each step. `run` starts the step, once, and resolves with its outcome. It never
 * rejects.
 */
export type Instrument = (step: Step, run: () => Promise<StepOutcome>) => unknown

/** The option `identifyVisitor`. An empty id is that of nobody. */
export type IdentifyVisitor = (
  request: FastifyRequest,
) => string | null | undefined | PromiseLike<string | null | undefined>

/** The default export of `hydrant.config.ts`. */
export interface Config extends ServerOptions {
  /**
   * Options of esbuild, or a function that returns them (none). The function can import packages that only the build
   * needs, so `hydrant start` does not load these packages.
   */
  esbuild?: EsbuildOptions | (() => EsbuildOptions | Promise<EsbuildOptions>)
  /**
   * Whether components are compiled for the browser with React Compiler, from the package `oxc-transform-react`. If
   * it is not installed, the build fails with HYD_BUILD_REACT_COMPILER (false).
   */
  reactCompiler?: boolean
  /** Whether the pages of `hydrant dev` are rendered in React's `<StrictMode>` in the browser (false). */
  strictMode?: boolean
}

/** Returns the given configuration. TypeScript then checks it: `export default defineConfig({ base: '/shop' })`. */
export function defineConfig(config: Config): Config {
  return config
}
