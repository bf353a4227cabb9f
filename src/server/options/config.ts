import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify'
import type { Params } from '../../shared/page-types.ts'
import type { FailureRecord } from '../errors/failure-record.ts'
import type { FindTrace } from '../http/trace-context.ts'

/** The argument of a `load` function. */
export interface LoadContext<Path extends string = string> {
  /** Fastify's request, with the decorators of your plugins. */
  request: FastifyRequest
  /** Fastify's reply, for setting headers, cookies or a status. */
  reply: FastifyReply
  /** The Fastify instance, with its decorators. */
  app: FastifyInstance
  /** Parameters of the path: `{ id: '7' }` for `/products/[id]`. Each value is decoded once. */
  params: Params<Path>
  /** The URL of the page as the visitor sees it, with the public host and protocol. */
  url: URL
  /** Aborts when the client disconnects or the deadline passes (`timeouts.loadMs`, then `timeouts.renderMs`). */
  signal: AbortSignal
}

/** The argument of an `action` function. */
export interface ActionContext<Path extends string = string> extends LoadContext<Path> {
  /**
   * The submitted form, urlencoded or multipart. Empty for any other body; a JSON body is in `request.body`. Uploaded
   * files are on the disk until the response has been sent.
   */
  form: FormData
}

/** Options of a site. Set them in `hydrant.config.ts`, or pass them to the plugin or to `createServer`. */
export interface SiteOptions {
  /** The path at which the site is mounted, without a slash at the end: `/shop` ('/'). */
  base?: string
  /** Deadlines, in milliseconds. */
  timeouts?: {
    /** Milliseconds for the loads of a page, or for its action. After that, the response is a 504 (10 000). */
    loadMs?: number
    /** Milliseconds for rendering a document, including its stream. After that, pending parts fail (10 000). */
    renderMs?: number
    /** Milliseconds that a stopping server waits for requests in flight (10 000). For `hydrant start`. */
    drainMs?: number
    /**
     * Milliseconds that a stopping server continues to accept requests while `/_hydrant/ready` responds with 503, so
     * that a load balancer notices (0). For `hydrant start`.
     */
    stopDelayMs?: number
    /**
     * Milliseconds that the event loop may be blocked, by an endless loop for example. After that, the blocking code is
     * interrupted and reported as a failure, and the process exits once the other requests are done. With the plugin,
     * the error (HYD_HUNG) is thrown as an uncaught exception instead. 0 turns this off (60 000; 0 with the plugin).
     */
    hangMs?: number
  }
  /** Limits above which requests are refused. */
  limits?: {
    /** Pages that a process loads and renders at the same time. Above that, the response is a 503 (1 000). */
    maxRenders?: number
    /** Bytes of the URL. Above that, the response is a 414 (8 192). */
    maxUrlBytes?: number
    /** Pipelined requests that may wait on one connection. Above that, the connection is closed (100). */
    maxPipelined?: number
    /** Characters of a document. A longer one fails with HYD_DOCUMENT_TOO_LONG (50 000 000). */
    maxDocumentLength?: number
    /** Milliseconds that the event loop may be late. Above that, the response is a 503. 0 turns this off (0). */
    maxEventLoopDelayMs?: number
  }
  /** Host names of the site: `shop.example` or `*.shop.example`. For other hosts, the response is a 421 (any host). */
  hosts?: string[]
  /**
   * Bytes of a JSON body, of an urlencoded form or of the text fields of a multipart form; 413 above that (1 048 576).
   */
  bodyLimit?: number
  /** Limits of forms. Above one of them, the response is a 413. */
  forms?: {
    /** Number of fields that are not files (1 000). */
    maxFields?: number
    /** Bytes of one field (1 048 576). */
    maxFieldBytes?: number
    /** Number of files (10). */
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
    /** Maximum number of reports from one page (10). */
    maxPerPage?: number
    /** Reports that a process accepts from one address per minute (60). */
    maxPerAddress?: number
    /** Reports that a process accepts from all addresses per minute (600). */
    maxTotal?: number
    /** Bytes of a report (32 768). */
    maxBytes?: number
    /** Do not request or keep reports of visitors whose browser sends `DNT: 1` or `Sec-GPC: 1` (false). */
    respectPrivacySignals?: boolean
  }
  /** Compress documents and data with brotli or gzip for clients that accept it (true). */
  compress?: boolean
  /** Send a `Content-Security-Policy` that allows only scripts with a nonce, and no frames in other sites (true). */
  csp?: boolean
  /** Send the other security headers, unless they are already set; docs/security.md lists them (true). */
  securityHeaders?: boolean
  /**
   * Name of the running version, such as a version number or a commit. Failures are stored with it (the build's id).
   */
  release?: string
  /**
   * A secret that keys the fingerprints in digests, so that they cannot be computed without it: 16 to 200 printable
   * ASCII characters without spaces. Use the same key on every replica; a new key gives every failure a new fingerprint
   * (none: everyone who knows an error can compute its fingerprint).
   */
  digestKey?: string
  /**
   * Called with each failure after its line is logged, to pass it to another service. Requests do not wait for it; a
   * stopping server waits two seconds. If it throws or rejects, a warning is logged (none).
   */
  onFailure?: (failure: FailureRecord) => unknown
  /**
   * Returns the trace that a failure belongs to, at the time of the failure. With OpenTelemetry:
   * `() => trace.getActiveSpan()?.spanContext()` (the request's `traceparent` header).
   */
  traceOf?: FindTrace
  /**
   * Where failures are stored: a file, relative to the site's folder; a database, `postgres://user@host/database`, for
   * sites on several machines; or false for nowhere ('hydrant-errors.db').
   */
  ledger?: string | false
  /** Limits of the ledger. Older failures are removed. */
  ledgerLimits?: {
    /** Number of failures; the ones seen last are kept (5 000). */
    maxFailures?: number
    /** Number of occurrences of each failure; the newest are kept (100). */
    maxOccurrences?: number
    /** Days that a failure is kept after it was last seen (30). */
    maxAgeDays?: number
    /** Bytes of the whole ledger (100 000 000). */
    maxBytes?: number
  }
  /** React's server build for rendering: 'bun' writes strings and is faster, 'node' writes bytes ('bun'). */
  reactServer?: 'bun' | 'node'
}

/**
 * Options of a site and of its server, for `hydrant start`, `hydrant dev` and `createServer`. In an app of your own,
 * Fastify's options replace those of the server.
 */
export interface ServerOptions extends SiteOptions {
  timeouts?: SiteOptions['timeouts'] & {
    /** Milliseconds for receiving the headers of a request. After that, the response is a 408 (20 000). */
    headersMs?: number
    /**
     * Milliseconds for receiving a complete request, including its body. After that, the response is a 408 (300 000).
     */
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
  /**
   * Headers that these proxies set: `X-Forwarded-For`, `-Host` and `-Proto`, or `Forwarded` of RFC 7239
   * ('x-forwarded').
   */
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
  /**
   * The operators' listener with the console, its JSON API and metrics; false turns it off (true). For `hydrant start`.
   */
  admin?:
    | boolean
    | {
        /** Address to listen on. If other machines can reach it, `token` is required ('127.0.0.1'). */
        host?: string
        /** TCP port; 0 for any free port (9320 if it is free, otherwise there is a warning and no console). */
        port?: number
        /**
         * The token that operators sign in with. To keep it out of the code, set HYDRANT_ADMIN_TOKEN instead (none).
         */
        token?: string
        /**
         * A second token that only allows reading. To keep it out of the code, set HYDRANT_ADMIN_READ_TOKEN instead
         * (none).
         */
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
  // Not esbuild's own type, because a running server does not need esbuild installed.
  setup(build: never): void | Promise<void>
}

/** The default export of `hydrant.config.ts`. */
export interface Config extends ServerOptions {
  /**
   * Options of esbuild. With a function that imports them, `hydrant start` does not load packages that only the build
   * needs.
   */
  esbuild?: EsbuildOptions | (() => EsbuildOptions | Promise<EsbuildOptions>)
}

/** Returns the given configuration; for type checking: `export default defineConfig({ base: '/shop' })`. */
export function defineConfig(config: Config): Config {
  return config
}
