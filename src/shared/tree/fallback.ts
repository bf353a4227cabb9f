// The fallback is written once, as a string: React puts it in place unparsed, the `<noscript>` copy and the
// document of last resort use it as it is.

import { clientSentence, digestLine, serverSentence } from '../wire/error-messages.ts'
import { escapeHtml } from '../wire/html.ts'
import type { PublicError } from '../wire/public-error.ts'

export interface FallbackContext {
  /** Host name to say in the sentence. */
  host: string
  /** The address's query, with its question mark, or empty: Try again keeps it. */
  search: string
  /** Given on the server: the nonce of the small script that corrects the host behind a proxy which hides it, */
  nonce?: string
  /** and what writes that script. */
  hostScript?(nonce: string): string
  /** the nonce of styles, where a policy of the site's own has one. */
  styleNonce?: string | undefined
}

const STYLE_AND_END =
  '.hydrant-failure{color-scheme:light dark;background:Canvas;color:CanvasText;border:1px solid GrayText;border-radius:8px;padding:1.25rem;' +
  'margin:1rem auto;max-width:42rem;font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}' +
  '.hydrant-failure p{margin:0 0 .75rem}.hydrant-failure code{font:1em monospace}' +
  '.hydrant-failure button{background:ButtonFace;color:ButtonText;border:1px solid GrayText;border-radius:8px;padding:.5rem 1rem;' +
  'font:inherit;min-height:2.75rem}.hydrant-failure :focus-visible{outline:3px solid CanvasText}</style>'

/** Where the fallback stands in the place of the whole document. */
export const PAGE_STYLE = ':root{color-scheme:light dark}body{margin:0;padding:1rem}'

const NOINDEX = '<meta name="robots" content="noindex">'

/** What stands inside `<div class="hydrant-failure" role="alert">`. */
export function fallbackContent(shown: PublicError, context: FallbackContext): string {
  const { host, search } = context
  // The browser's bundles are without what only the server writes.
  const style = (typeof HYDRANT_BROWSER === 'undefined' ? styleTag(context) : '<style>') + STYLE_AND_END
  if (shown.kind === 'refusal') return style + paragraph(host, fallbackTitle(shown))
  const isServers = shown.side === 'server'
  const digest = isServers ? `<p><code>${escapeHtml(digestLine(shown.digest))}</code></p>` : ''
  const sentence = isServers ? serverParagraph(host) : paragraph(host, clientSentence(host))
  const script = typeof HYDRANT_BROWSER === 'undefined' ? scriptOf(context) : ''
  // Joined, the text lies in one piece: its length is asked for more than once, which takes Node.js long for one of many.
  return [style, sentence, digest, tryAgainForm(search), script].join('')
}

function scriptOf({ nonce, hostScript }: FallbackContext): string {
  return (nonce && hostScript?.(nonce)) || ''
}

function paragraph(host: string, text: string): string {
  // For the script that corrects it, which only the server writes.
  const attribute = typeof HYDRANT_BROWSER === 'undefined' ? ` data-hydrant-host="${escapeHtml(host)}"` : ''
  return `<p${attribute}>${escapeHtml(text)}</p>`
}

const serverParagraph = rememberLast((host) => paragraph(host, serverSentence(host)))

/** The same sentence for visitors without JavaScript, when a document fails that has already begun. */
export function fallbackNoscript(digest: string, status: number, context: FallbackContext): string {
  const shown: PublicError = { kind: 'failure', side: 'server', status, digest }
  const { host, search, styleNonce } = context
  const content = fallbackContent(shown, { host, search, styleNonce })
  return `<noscript>${NOINDEX}<div class="hydrant-failure" role="alert">${content}</div></noscript>`
}

/** A whole document that needs nothing: no layout, no React, no script. */
export function fallbackDocument(shown: PublicError, context: FallbackContext): string {
  return `<!DOCTYPE html><html lang="en"><head>${fallbackHead(shown, context)}</head><body>${fallbackBody(shown, context)}</body></html>`
}

export function fallbackTitle(shown: PublicError): string {
  return shown.kind === 'refusal' ? `${shown.status} ${shown.message}` : 'Application error'
}

function fallbackHead(shown: PublicError, context: Pick<FallbackContext, 'styleNonce'> = {}): string {
  return (
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">' +
    `${NOINDEX}<title>${escapeHtml(fallbackTitle(shown))}</title>${styleTag(context)}${PAGE_STYLE}</style>`
  )
}

export function fallbackBody(shown: PublicError, context: FallbackContext): string {
  return `<main><div class="hydrant-failure" role="alert">${fallbackContent(shown, context)}</div></main>`
}

function styleTag({ styleNonce }: Pick<FallbackContext, 'styleNonce'>): string {
  return styleNonce === undefined ? '<style>' : `<style nonce="${escapeHtml(styleNonce)}">`
}

// A form sends its fields as the whole query, so the address's own query goes along as hidden fields. Without
// JavaScript and with it, sending the form loads the page again by GET.
const tryAgainForm = rememberLast((search) => {
  let fields = ''
  for (const [name, value] of new URLSearchParams(search)) {
    fields += `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`
  }
  return `<form method="get" data-hydrant-reload>${fields}<button type="submit">Try again</button></form>`
})

/** On the server, what is written for one visitor after the other is most often the same. */
function rememberLast(write: (from: string) => string): (from: string) => string {
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
 * Behind a proxy that does not forward the public host name only the browser knows it. The browser's own tree says the
 * right one by itself, so its scripts do without this.
 */
export function hostScript(nonce: string): string {
  return `<script nonce="${escapeHtml(nonce)}">${CORRECT_HOST}</script>`
}

const CORRECT_HOST =
  'for(const e of document.querySelectorAll("[data-hydrant-host]"))e.textContent=e.textContent.replace(' +
  '"loading "+e.dataset.hydrantHost+" (",()=>"loading "+location.hostname+" (")'
