// Streamed documents in browsers without JavaScript: see decision 034. React sends late parts as hidden elements at the
// end of the document, and a script moves each to the place of its fallback. Without scripts, styles in `<noscript>`
// show the parts where they are, and hide the fallback of each part that has arrived. With scripts, browsers read the
// content of `<noscript>` as text.

import { escapeHtml } from '../../shared/wire/html.ts'
import { forEachComment } from './document-sink.ts'

// React puts parts that are table rows, SVG or MathML into elements of that kind.
const RULES =
  '[hidden][id^="S:"]{display:block!important}table[hidden]:has([id^="S:"]){display:table!important}' +
  'svg[id^="S:"],math[id^="S:"]{display:inline!important}'
/**
 * Stylesheets of sites have `[hidden] { display: none !important }`, some of them in a layer. Important rules of a
 * layer override those of later layers, and those outside of layers. The rules outside are for browsers without layers.
 */
const SHOW_PARTS = `${RULES}@layer hydrant{${RULES}}`

/** Returns the styles for late parts, to be the first layer of a document that streams. */
export function stylesOfParts(styleNonce: string | undefined): string {
  return noscriptStyle(SHOW_PARTS, styleNonce)
}

function noscriptStyle(rules: string, styleNonce: string | undefined): string {
  const nonce = styleNonce === undefined ? '' : ` nonce="${escapeHtml(styleNonce)}"`
  return `<noscript><style${nonce}>${rules}</style></noscript>`
}

const PENDING = '<!--$?-->'
const TEMPLATE = /<template id="B:([\da-f]+)"><\/template>/y
/** Matches an empty fallback, and elements that must be the first of their kind. */
const NOTHING = /(?:<!--[^>]*-->)*(?:<(?:html|head|body)[\s>]|<!--\/\$-->)/y
/** Matches elements whose parent may contain nothing else: a parser would move other elements and text out of it. */
const PART_OF_TABLE = /(?:<!--[^>]*-->)*<(?:caption|col|colgroup|tbody|thead|tfoot|tr|td|th|option|optgroup|hr)[\s>]/y

/**
 * Wraps elements and text in an element that exists only without scripts. A parser that runs scripts sees two
 * `<noscript>` elements with text in them. For any other parser, the first `</noscript>` cannot close an element across
 * an open `<object>`.
 */
const WRAPPER = ['<noscript><object></noscript>', '<noscript></object></noscript>'] as const

/**
 * Returns a part of a document with styles that hide each fallback, without scripts, when its content has arrived.
 * React removes the added elements together with the fallback, and hydrates neither.
 */
export function markFallbacks(html: string, styleNonce: string | undefined): string {
  if (!html.includes(PENDING)) return html
  const open: (Fallback | null)[] = []
  const insertions: { at: number; text: string }[] = []
  let rules = ''
  forEachComment(html, (at) => {
    if (html.startsWith('<!--$', at)) {
      open.push(html.startsWith(PENDING, at) ? readFallback(html, at + PENDING.length) : null)
    } else if (html.startsWith('<!--/$-->', at)) {
      const fallback = open.pop()
      if (!fallback) return
      const { id, start, isWrapped } = fallback
      if (isWrapped) insertions.push({ at: start, text: WRAPPER[0] })
      insertions.push({ at, text: `${isWrapped ? WRAPPER[1] : ''}<template id="E:${id}"></template>` })
      rules += `:root:has(#S\\:${id}) #B\\:${id}~:not(#E\\:${id}~*){display:none}`
    }
  })
  return rules === '' ? html : insertAll(html, insertions) + noscriptStyle(rules, styleNonce)
}

function insertAll(html: string, insertions: { at: number; text: string }[]): string {
  let text = ''
  let from = 0
  for (const insertion of insertions.sort((a, b) => a.at - b.at)) {
    text += html.slice(from, insertion.at) + insertion.text
    from = insertion.at
  }
  return text + html.slice(from)
}

interface Fallback {
  /** The id of the boundary in React's scripts. */
  id: string
  /** The index at which the fallback's content starts. */
  start: number
  isWrapped: boolean
}

/** Returns the fallback at an index; null for one that needs no styles. */
function readFallback(html: string, at: number): Fallback | null {
  TEMPLATE.lastIndex = at
  const id = TEMPLATE.exec(html)?.[1]
  if (id === undefined) return null
  const start = TEMPLATE.lastIndex
  return isAt(NOTHING, html, start) ? null : { id, start, isWrapped: !isAt(PART_OF_TABLE, html, start) }
}

function isAt(pattern: RegExp, html: string, at: number): boolean {
  pattern.lastIndex = at
  return pattern.test(html)
}
