import { parseUrl } from '../util/parse-url.ts'
import type { Content, Element } from './html-tree.ts'

/** Elements without text, or for browsers only. */
const REMOVED = new Set([
  'button',
  'canvas',
  'input',
  'link',
  'meta',
  'noscript',
  'object',
  'script',
  'select',
  'style',
  'svg',
  'template',
  'textarea',
  'title',
])

/** The attributes with a URL that Markdown keeps. */
const URL_ATTRIBUTES = ['href', 'src', 'poster'] as const
const KEPT_PROTOCOLS = new Set(['http:', 'https:', 'mailto:', 'tel:'])

/**
 * Removes scripts, form controls with their values, hidden parts, comments and images without a text from an element.
 * Makes URLs absolute, except those that lead to a part of the page, and removes URLs that only a browser
 * understands.
 */
export function cleanContent(content: Element, base: string) {
  const left: Element[] = [content]
  for (let element = left.pop(); element; element = left.pop()) {
    element.children = element.children.filter(isKept)
    for (const child of element.children) {
      if (child.type !== 'element') continue
      resolveUrls(child, base)
      left.push(child)
    }
  }
}

function isKept(node: Content): boolean {
  if (node.type !== 'element') return node.type === 'text'
  const { tagName, properties } = node
  // The checkbox of an item in a task list.
  if (tagName === 'input') return properties.type === 'checkbox' && properties.disabled === true
  if (tagName === 'img') return typeof properties.alt === 'string' && properties.alt !== ''
  if (tagName === 'dialog' && properties.open !== true) return false
  if (properties.hidden !== undefined && properties.hidden !== false) return false
  return properties.ariaHidden !== 'true' && !REMOVED.has(tagName)
}

function resolveUrls(element: Element, base: string) {
  for (const name of URL_ATTRIBUTES) {
    const value = element.properties[name]
    if (typeof value !== 'string' || (name === 'href' && value.startsWith('#'))) continue
    const url = parseUrl(value, base)
    if (url && KEPT_PROTOCOLS.has(url.protocol)) element.properties[name] = url.href
    else removeUrl(element, name)
  }
}

/** Leaves the text of a link or an image. */
function removeUrl(element: Element, name: (typeof URL_ATTRIBUTES)[number]) {
  const { alt } = element.properties
  if (element.tagName === 'img') element.children = [{ type: 'text', value: String(alt) }]
  if (name !== 'poster') element.tagName = 'span'
  element.properties = {}
}
