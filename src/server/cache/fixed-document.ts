import { createHash } from 'node:crypto'
import { escapeScript } from '../../shared/wire/html.ts'
import { unescapeHtml } from '../http/headers.ts'

/** A document without a nonce, whose bytes are the same for every visitor. */
export interface FixedDocument {
  text: string
  /** Hash sources of the policy (`'sha256-…'`) for the inline scripts that had the nonce. */
  scripts: readonly string[]
  /** Hash sources for the inline styles that had the nonce of styles. */
  styles: readonly string[]
}

const SCRIPT_END = '</script>'
const STYLE_END = '</style>'

/**
 * Removes the nonces from a document, and returns the hashes that replace them in the document's policy. Some
 * browsers do not allow an external script by a hash, so an inline script inserts each external script that is
 * `async`.
 *
 * @returns A reason, as the end of a sentence, if the document cannot do without its nonce.
 */
export function fixDocument(document: string, nonce: string, styleNonce?: string): FixedDocument | { reason: string } {
  const scripts = new Set<string>()
  const styles = new Set<string>()
  const attributes = [` nonce="${nonce}"`, ...(styleNonce === undefined ? [] : [` nonce="${styleNonce}"`])]
  let text = ''
  let from = 0
  for (;;) {
    const found = nextOf(document, attributes, from)
    if (found === null) break
    const start = document.lastIndexOf('<', found.at)
    const end = document.indexOf('>', found.at) + 1
    const tag = document.slice(start, found.at) + document.slice(found.at + found.attribute.length, end)
    text += document.slice(from, start)
    from = end
    if (tag.startsWith('<script')) {
      const close = document.indexOf(SCRIPT_END, end)
      from = close + SCRIPT_END.length
      const given = readAttributes(tag)
      const isExternal = 'src' in given
      if (isExternal && !('async' in given)) return { reason: `it has the script ${given.src}, which is not async` }
      const content = isExternal ? insertScript(given) : document.slice(end, close)
      text += `${isExternal ? '<script>' : tag}${content}${SCRIPT_END}`
      scripts.add(hashSource(content))
    } else {
      text += tag
      if (tag.startsWith('<style')) styles.add(hashSource(document.slice(end, document.indexOf(STYLE_END, end))))
    }
  }
  text += document.slice(from)
  if (text.includes(nonce)) return { reason: 'it contains its nonce in another place than the attribute nonce' }
  return { text, scripts: [...scripts], styles: [...styles] }
}

function nextOf(document: string, attributes: readonly string[], from: number) {
  let next: { at: number; attribute: string } | null = null
  for (const attribute of attributes) {
    const at = document.indexOf(attribute, from)
    if (at !== -1 && (next === null || at < next.at)) next = { at, attribute }
  }
  return next
}

function readAttributes(tag: string): Record<string, string> {
  const attributes = [...tag.matchAll(/\s([\w:-]+)(?:="([^"]*)")?/g)]
  return Object.fromEntries(attributes.map(([, name = '', value = '']) => [name.toLowerCase(), unescapeHtml(value)]))
}

/** Returns the script that inserts an external script with these attributes. */
function insertScript(attributes: Readonly<Record<string, string>>): string {
  const given = escapeScript(JSON.stringify(attributes))
  return `{let s=document.createElement("script"),a=${given};for(let n in a)s.setAttribute(n,a[n]);document.head.append(s)}`
}

/** Returns the hash source of an inline element. Browsers normalize line ends before they hash its text. */
export function hashSource(content: string): string {
  return `'sha256-${createHash('sha256').update(content.replace(/\r\n?/g, '\n')).digest('base64')}'`
}
