// The formats of responses. A new one is a row here, and in the tables that do not compile without it: how it is made of a
// page (pages/produce.ts) and of an error (pages/errors.ts).

import { BUILD_HEADER, EVENTS_TYPE, LAYOUTS_HEADER, NAVIGATION_TYPE } from '../../shared/wire/navigation-protocol.ts'
import { NO_STORE } from './caching.ts'
import { INERT_POLICY, POLICY, SCRIPTLESS_POLICY } from './headers.ts'

/** What a response in a format is. */
interface ResponseRow {
  /** The value of `Content-Type`; null for a response without a body. */
  contentType: string | null
  /** Whether a browser shows it as a document: with scripts and a policy, and in parts. */
  isDocument: boolean
  /** Whether React renders the page for it. */
  isRendered: boolean
  /**
   * Its policy outside of any site, where a document has no scripts; null for none. What is no document has the same one in
   * each site: that of a document that may do nothing, in case a browser shows it as one.
   */
  policy: string | null
  /** Whether it is for an open page, which navigates: only what changes, because the browser keeps layouts. */
  isNavigation: boolean
  /** Whether its body lasts until the client leaves. */
  isEndless?: boolean
}

/** What a page in a format is. */
interface PageRow extends ResponseRow {
  /** The media types that ask for it with `Accept`; none if `Accept` does not decide. */
  accept: readonly string[]
  /** The option that adds it to the formats of a site; null if every site has it. */
  option: 'markdown' | null
  /** Whether it has only the data of the page, for a program: a page without a load has none, and errors are problems. */
  isData: boolean
}

export const JSON_TYPE = 'application/json; charset=utf-8'
export const NAVIGATION_CONTENT = `${NAVIGATION_TYPE}; charset=utf-8`
export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'

const BODILESS = { contentType: null, isDocument: false, isRendered: false, policy: null, isNavigation: false }

/** The formats of a page. Among those that a client accepts equally, the first one is sent. */
const PAGES = {
  html: {
    contentType: 'text/html; charset=utf-8',
    accept: ['text/html'],
    option: null,
    isDocument: true,
    isRendered: true,
    isData: false,
    policy: SCRIPTLESS_POLICY,
    isNavigation: false,
  },
  json: {
    contentType: JSON_TYPE,
    accept: ['application/json', 'application/problem+json'],
    option: null,
    isDocument: false,
    isRendered: false,
    isData: true,
    policy: null,
    isNavigation: false,
  },
  markdown: {
    contentType: 'text/markdown; charset=utf-8',
    accept: ['text/markdown'],
    option: 'markdown',
    isDocument: false,
    isRendered: true,
    isData: false,
    policy: INERT_POLICY,
    isNavigation: false,
  },
  navigation: {
    contentType: NAVIGATION_CONTENT,
    accept: [],
    option: null,
    isDocument: false,
    isRendered: false,
    isData: false,
    policy: null,
    isNavigation: true,
  },
} as const satisfies Record<string, PageRow>

/** The format of a page: one that `Accept` selects, or that of a navigation. */
export type Format = keyof typeof PAGES
/** A format of a page, or of a response that is sent in its place. */
export type ResponseFormat = Format | 'problem' | 'redirect' | 'nothing' | 'events'

export const FORMATS: Readonly<Record<Format, PageRow>> = PAGES
export const RESPONSES: Readonly<Record<ResponseFormat, ResponseRow>> = {
  ...PAGES,
  problem: { ...BODILESS, contentType: PROBLEM_TYPE, policy: INERT_POLICY },
  redirect: BODILESS,
  nothing: BODILESS,
  events: { ...BODILESS, contentType: EVENTS_TYPE, isNavigation: true, isEndless: true },
}

/** Returns the formats that `Accept` can ask a site for. */
export function formatsToAccept(hasMarkdown: boolean): Format[] {
  // The keys of an object have the type `string`.
  const names = Object.keys(PAGES) as Format[]
  return names.filter((name) => FORMATS[name].accept.length > 0 && (hasMarkdown || FORMATS[name].option === null))
}

/** The cache of a service worker stores any response. It reads `Vary`, and no other header. */
const NAVIGATION_VARIES = `${BUILD_HEADER}, ${LAYOUTS_HEADER}`

/** Request headers that ask not to track the visitor. */
const PRIVACY_VARIES = 'DNT, Sec-GPC'

/** What `Vary` depends on. */
interface VaryOptions {
  compress: boolean
  reports: { respectPrivacySignals: boolean }
}

type Headers = Readonly<Record<string, string>>

/** The headers that every response in a format has, whoever sends it, apart from the policy. */
export type FormatHeaders = Readonly<Record<ResponseFormat, Headers>>

/** Returns the headers of the formats of a site. */
export function headersOfFormats({ compress, reports }: VaryOptions): FormatHeaders {
  const headersOf = (row: ResponseRow): Headers => {
    const { contentType, isDocument, isNavigation } = row
    const names = [
      isNavigation ? NAVIGATION_VARIES : 'Accept',
      // A response that is too short to be compressed varies too: another client might get a compressed one.
      ...(compress && contentType !== null ? ['Accept-Encoding'] : []),
      ...(isDocument && reports.respectPrivacySignals ? [PRIVACY_VARIES] : []),
    ]
    return { vary: names.join(', '), ...typeHeader(row) }
  }
  const pairs = Object.entries(RESPONSES).map(([format, row]) => [format, headersOf(row)])
  // It has the keys of `RESPONSES`.
  return Object.fromEntries(pairs) as FormatHeaders
}

function typeHeader({ contentType }: ResponseRow): Headers {
  return contentType === null ? {} : { 'content-type': contentType }
}

/** Returns the headers of an error that is sent without the hooks of a site, or outside of any site. */
export function bareHeaders(format: ResponseFormat, policy = RESPONSES[format].policy): Headers {
  return {
    vary: 'Accept',
    ...typeHeader(RESPONSES[format]),
    ...(policy !== null && { [POLICY]: policy }),
    'cache-control': NO_STORE,
    'x-content-type-options': 'nosniff',
  }
}
