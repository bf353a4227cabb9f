import { fromHtml } from '#hast-util-from-html'
import { toMdast } from '#hast-util-to-mdast'
import { gfmToMarkdown } from '#mdast-util-gfm'
import { toMarkdown } from '#mdast-util-to-markdown'
import { parseUrl } from '../util/addresses.ts'

/** Elements of a page without `<main>` that are around its content. */
const AROUND = ['header', 'nav', 'footer']

/**
 * Converts the `<main>` of a document to Markdown. Without a `<main>`, converts the body without header, navigation
 * and footer. Tables have GitHub's syntax. If there is no `<h1>`, the text begins with the title of the document.
 * URLs become absolute.
 *
 * @param address The absolute URL of the document.
 */
export function convertDocument(html: string, address: string): string {
  const document = fromHtml(html)
  const content = findContent(document)
  cleanContent(content, baseOf(document, address))
  addTitle(document, content)
  const root: Root = { type: 'root', children: content.children }
  return toMarkdown(toMdast(root, { document: true }), {
    extensions: [gfmToMarkdown({ tablePipeAlign: false })],
    bullet: '-',
    emphasis: '_',
    rule: '-',
  })
}

function findContent(document: Root): Element {
  const main = findElement(document, ({ tagName, properties }) => tagName === 'main' || properties.role === 'main')
  if (main) return main
  const body: Element = findElement(document, ({ tagName }) => tagName === 'body') ?? EMPTY
  const children = body.children.filter((child) => !('tagName' in child && AROUND.includes(child.tagName)))
  return { ...body, children }
}

const EMPTY: Element = { type: 'element', tagName: 'body', properties: {}, children: [] }

function baseOf(document: Root, address: string): string {
  const href = findElement(document, ({ tagName }) => tagName === 'base')?.properties.href
  return (typeof href === 'string' && parseUrl(href, address)?.href) || address
}

function addTitle(document: Root, content: Element) {
  if (findElement(content, ({ tagName }) => tagName === 'h1')) return
  const title = findElement(document, ({ tagName }) => tagName === 'title')
  const value = title ? textOf(title).trim() : ''
  if (value === '') return
  const heading: Element = {
    type: 'element',
    tagName: 'h1',
    properties: {},
    children: [{ type: 'text', value }],
  }
  content.children.unshift(heading)
}

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
function cleanContent(content: Element, base: string) {
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

type Root = ReturnType<typeof fromHtml>
type Element = Extract<Root['children'][number], { type: 'element' }>
/** A node inside an element. */
type Content = Element['children'][number]

/** Returns the first matching element in the order of the document; null for none. Does not recurse. */
function findElement(root: Root | Element, matches: (element: Element) => boolean): Element | null {
  const left: (Root | Root['children'][number])[] = [root]
  for (let node = left.pop(); node; node = left.pop()) {
    if (node.type === 'element' && matches(node)) return node
    if ('children' in node) for (const child of node.children.toReversed()) left.push(child)
  }
  return null
}

/** Returns the text inside an element that has no elements inside. */
function textOf({ children }: Element): string {
  return children.map((child) => (child.type === 'text' ? child.value : '')).join('')
}
