// Streamed documents for browsers without JavaScript. React sends what comes late as hidden elements at the end of the document,
// and a script puts each in the place of its fallback. Without scripts they are shown where they stand, and the fallback
// of each goes when it has come. With scripts browsers take what stands in `<noscript>` for text.

import { escapeHtml } from '../../shared/wire/html.ts'
import { forEachComment } from './head-end.ts'

// React writes table rows, SVG and MathML into elements of their own kind.
const SHOW_PARTS =
  '[hidden][id^="S:"]{display:block}table[hidden]:has([id^="S:"]){display:table}' +
  'svg[id^="S:"],math[id^="S:"]{display:inline!important}'

/** What goes before `</head>` of a document that streams. */
export function showPartsNoscript(styleNonce: string | undefined): string {
  return noscriptStyle(SHOW_PARTS, styleNonce)
}

function noscriptStyle(rules: string, styleNonce: string | undefined): string {
  const nonce = styleNonce === undefined ? '' : ` nonce="${escapeHtml(styleNonce)}"`
  return `<noscript><style${nonce}>${rules}</style></noscript>`
}

const PENDING = '<!--$?-->'
const TEMPLATE = /<template id="B:([\da-f]+)"><\/template>/y
/** Nothing stands there, or what must be the first of its kind. */
const NOTHING = /(?:<!--[^>]*-->)*(?:<(?:html|head|body)[\s>]|<!--\/\$-->)/y
/** Only these may stand there: a parser would put other elements, and text, elsewhere. */
const PART_OF_TABLE = /(?:<!--[^>]*-->)*<(?:caption|col|colgroup|tbody|thead|tfoot|tr|td|th|option|optgroup|hr)[\s>]/y

/**
 * What only browsers without scripts see as an element, around text as well: for a parser that runs scripts it is two `<noscript>`
 * with text in them; for one that does not, the first cannot be closed across an open `<object>`.
 */
const WRAPPER = ['<noscript><object></noscript>', '<noscript></object></noscript>'] as const

/**
 * Lets the fallbacks in a part of a document go, without scripts, when what they stand for has come. React removes what is
 * added together with the fallback, and takes over neither.
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
  /** Of its boundary, in React's scripts. */
  id: string
  /** Where its content starts. */
  start: number
  isWrapped: boolean
}

/** The fallback that stands there; null for one that is left as it is. */
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
