import { escapeHtml } from '../wire/html.ts'
import { digestLine, type PublicError, publicMessage, serverSentence } from '../wire/public-error.ts'
// The fallback is a string, so that React (as inner HTML), the `<noscript>` copy and the document of last resort use
// the same one. The last resort must work when React itself fails.

export interface FallbackContext {
  /** The host name in the sentence. */
  host: string
  /** The query of the URL, with its question mark, or an empty string. The Try again form keeps it. */
  search: string
  /** The nonce for the script of `hostScript`. On the server only. */
  nonce?: string
  /** Returns the script that corrects the host name behind a proxy that hides it. On the server only. */
  hostScript?(nonce: string): string
  /** The nonce of styles, if the site's own policy has one. */
  styleNonce?: string | undefined
}

const STYLE_AND_END =
  '.hydrant-failure{color-scheme:light dark;background:Canvas;color:CanvasText;border:1px solid GrayText;border-radius:8px;padding:1rem;' +
  'margin:1rem auto;max-width:42rem;font:1rem/1.5 system-ui;overflow-wrap:anywhere}' +
  '.hydrant-failure p{margin:0 0 .75rem}.hydrant-failure code{font-size:1em}' +
  '.hydrant-failure button{background:Canvas;color:CanvasText;border:1px solid GrayText;border-radius:8px;padding:.75rem 1rem;' +
  'font:inherit}.hydrant-failure :focus-visible{outline:auto}</style>'

/** The style of a document that consists of the fallback. */
export const PAGE_STYLE = ':root{color-scheme:light dark}body{margin:0;padding:1rem}'

const NOINDEX = '<meta name="robots" content="noindex">'

/** Returns the content of `<div class="hydrant-failure" role="alert">`. */
export function fallbackContent(error: PublicError, context: FallbackContext): string {
  const { host, search } = context
  // The bundles for browsers do not contain the code that only the server runs.
  const style = (typeof HYDRANT_BROWSER === 'undefined' ? styleTag(context) : '<style>') + STYLE_AND_END
  if (error.kind === 'refusal') return style + paragraph(host, fallbackTitle(error))
  const isServers = error.side === 'server'
  const digest = isServers ? `<p><code>${escapeHtml(digestLine(error.digest))}</code></p>` : ''
  const sentence =
    typeof HYDRANT_BROWSER === 'undefined' && isServers
      ? serverParagraph(host)
      : paragraph(host, publicMessage(error, host))
  const content = style + sentence + digest + tryAgainForm(search)
  return typeof HYDRANT_BROWSER === 'undefined' ? content + scriptOf(context) : content
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML(html: string): string }): { createHTML(html: string): string }
}

/** Browsers let a site name each policy once. */
let policy: ReturnType<TrustedTypes['createPolicy']> | undefined

/**
 * Returns `fallbackContent` for `innerHTML`, which a content security policy with `require-trusted-types-for` blocks for
 * other strings. The content is safe because each value in it is escaped.
 */
export function trustedContent(error: PublicError, context: FallbackContext): string {
  const content = fallbackContent(error, context)
  // Node.js and some browsers do not have it.
  policy ??= (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('hydrant', {
    createHTML: String,
  })
  return policy?.createHTML(content) ?? content
}

function scriptOf({ nonce, hostScript }: FallbackContext): string {
  return (nonce && hostScript?.(nonce)) || ''
}

function paragraph(host: string, text: string): string {
  // `hostScript` reads the attribute.
  const attribute = typeof HYDRANT_BROWSER === 'undefined' ? ` data-hydrant-host="${escapeHtml(host)}"` : ''
  // English, or the message of a refusal in the language of the page.
  return `<p dir="auto"${attribute}>${escapeHtml(text)}</p>`
}

// Only the server calls it. The annotation lets esbuild leave it out of the bundles for browsers.
const serverParagraph = /* @__PURE__ */ memoizeLast((host) =>
  paragraph(host, serverSentence(host)).replace('<p', '<p lang="en"'),
)

/** Returns the fallback for browsers without JavaScript, for a document that fails after its first part was sent. */
export function fallbackNoscript(digest: string, status: number, context: FallbackContext): string {
  return `<noscript>${fallbackPart(digest, status, context)}</noscript>`
}

/** Returns the fallback for the end of a document without scripts that has a failed part. */
export function fallbackPart(digest: string, status: number, context: FallbackContext): string {
  const error: PublicError = { kind: 'failure', side: 'server', status, digest }
  const { host, search, styleNonce } = context
  const content = fallbackContent(error, { host, search, styleNonce })
  return `${NOINDEX}<div class="hydrant-failure" role="alert">${content}</div>`
}

/**
 * Returns a complete document that needs no layout, no React and no script.
 *
 * @param bodyEnd The HTML before `</body>`.
 */
export function fallbackDocument(error: PublicError, context: FallbackContext, bodyEnd = ''): string {
  const body = fallbackBody(error, context) + bodyEnd
  return `<!DOCTYPE html><html lang="en"><head>${fallbackHead(error, context)}</head><body>${body}</body></html>`
}

/** Returns the title of a document that consists of the fallback. */
export function fallbackTitle(error: PublicError): string {
  return error.kind === 'refusal' ? `${error.status} ${error.message}` : 'Application error'
}

/** Returns the content of the head of a document that consists of the fallback. */
function fallbackHead(error: PublicError, context: Pick<FallbackContext, 'styleNonce'> = {}): string {
  return (
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">' +
    `${NOINDEX}<title>${escapeHtml(fallbackTitle(error))}</title>${styleTag(context)}${PAGE_STYLE}</style>`
  )
}

/** Returns the content of the body of a document that consists of the fallback. */
export function fallbackBody(error: PublicError, context: FallbackContext): string {
  return `<main><div class="hydrant-failure" role="alert">${fallbackContent(error, context)}</div></main>`
}

function styleTag({ styleNonce }: Pick<FallbackContext, 'styleNonce'>): string {
  return styleNonce === undefined ? '<style>' : `<style nonce="${escapeHtml(styleNonce)}">`
}

// Sending the form loads the page again by GET, with and without JavaScript. The fields of a form replace the query of
// the URL, so the query is written as hidden fields.
const tryAgainForm = memoizeLast((search) => {
  let fields = ''
  for (const [name, value] of new URLSearchParams(search)) {
    fields += `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`
  }
  return `<form method="get" data-hydrant-reload>${fields}<button type="submit">Try again</button></form>`
})

/**
 * Returns `write` with a memory of its last result. In the browser it returns `write` itself.
 *
 * perf: most failures in a row have the same host and query, 0.4 µs instead of 1.2 µs for a fallback, commit 8d8d4fde
 */
function memoizeLast(write: (from: string) => string): (from: string) => string {
  if (typeof HYDRANT_BROWSER !== 'undefined') return write
  let last = ''
  let written = write(last)
  return (from) => {
    if (from !== last) written = write(from)
    last = from
    return written
  }
}

/**
 * Returns the script that puts the browser's host name into the sentence. Behind a proxy that does not forward the
 * public host name, only the browser knows it. In the browser the tree renders the right name itself.
 */
export function hostScript(nonce: string): string {
  return `<script nonce="${escapeHtml(nonce)}">${CORRECT_HOST}</script>`
}

const CORRECT_HOST =
  'for(const e of document.querySelectorAll("[data-hydrant-host]"))e.textContent=e.textContent.replace(' +
  '"loading "+e.dataset.hydrantHost+" (",()=>"loading "+location.hostname+" (")'
