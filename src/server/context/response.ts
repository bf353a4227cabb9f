import type { Readable } from 'node:stream'
import type { NavigationLine } from '../../shared/wire/navigation-protocol.ts'
import type { LoadLog } from '../build-output/page-contexts.ts'
import type { ShellRest } from '../cache/shared/shared-store.ts'
import type { StoredPage, StoredShell } from '../cache/stored-page.ts'
import type { Failure } from '../failures/failure-context.ts'
import type { ResponseFormat } from '../http/formats.ts'

/**
 * Who may be given a copy of a response: the visitors of every cache (`everyone`), those whom the site's own headers
 * allow for a document, else only the visitor (`as said`), the browser of the visitor (`visitor`), or nobody.
 */
export type Audience = 'everyone' | 'as said' | 'visitor' | 'nobody'

/** A response to a request for a page, before it is sent. `send` is the only function that writes one. */
export interface PageResponse {
  /** Decides the content type, `Vary` and the policy. */
  format: ResponseFormat
  /** Null for the status that code of the site has set on the reply (200). */
  status: number | null
  /** Headers of this response, besides those of its format. */
  headers: Readonly<Record<string, string>>
  /** Null for headers only, and for a stored page, which has the body in each encoding. */
  body: string | Readable | null
  /** The page of the cache that is sent; null for any other response. */
  stored: StoredPage | null
  /** The beginning of `body`, if it is the shell of `stored`. */
  shell: StoredShell | null
  audience: Audience
  /** The failure whose digest the response shows. It decides the status. */
  failure: Failure | null
  /** Whether it is sent in place of the page: the headers that describe the page are removed. */
  isError: boolean
  /** Whether it is the whole page, which the cache may store. */
  isPage: boolean
  /** Whether the body is sent in parts, also for a HEAD request. */
  isStreamed: boolean
  /** Makes the rest of a body that is sent in parts, once the response has begun. It holds the render slot. */
  rest: (() => Promise<void>) | null
}

/** Creates a response. Everything that is not given is as for the whole page of one visitor. */
export function createResponse(
  format: ResponseFormat,
  body: PageResponse['body'],
  given: Partial<PageResponse> = {},
): PageResponse {
  return {
    format,
    status: null,
    headers: NO_HEADERS,
    body,
    stored: null,
    shell: null,
    audience: 'as said',
    failure: null,
    isError: false,
    isPage: false,
    isStreamed: false,
    rest: null,
    ...given,
  }
}

const NO_HEADERS = {}

/** The properties of a load's argument that belong to the visitor. */
export type VisitorProperty = 'request' | 'reply' | 'context'

/** The shell of a document. Its nonces are placeholders, which hashes replace. */
export interface RenderedShell {
  text: string
  nonce: string
  styleNonce: string | undefined
  rest: ShellRest
}

/**
 * The making of a response that may be stored for all visitors: its schemas, loads and render. All of this runs in `run`,
 * and what is for this visitor only in `inRequest`.
 */
export interface SharedRender {
  /** Identifies the response. */
  readonly key: object
  readonly log: LoadLog
  /** Returns a property of the visitor, for a load. The response is then for this visitor only. */
  touch(property: VisitorProperty): unknown
  /** Calls code that makes the response, without the request's `AsyncLocalStorage` stores. */
  run<Result>(work: () => Result): Result
  /** Calls code that is for this visitor only, such as hooks, in the async context of the request. */
  inRequest<Result>(work: () => Result): Result
}

/** The response to a navigation while it is made: a list of lines, each one JSON. */
export interface NavigationLines {
  /** True once the response has begun: each line then goes out at once. */
  readonly isOpen: boolean
  add(line: NavigationLine): void
  /** Adds a line that is JSON already. */
  addText(line: string): void
  /** Ends the lines. Returns the response; null if it has begun. */
  end(given?: Partial<PageResponse>): PageResponse | null
  /**
   * Ends the open response in place of one that a load sends itself.
   *
   * @param payload What the load sends. It is dropped.
   */
  replace(payload: unknown): void
}
