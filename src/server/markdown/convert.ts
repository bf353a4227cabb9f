import { fromHtml } from '#hast-util-from-html'
import { toMdast } from '#hast-util-to-mdast'
import { gfmToMarkdown } from '#mdast-util-gfm'
import { toMarkdown } from '#mdast-util-to-markdown'
import { parseUrl } from '../util/parse-url.ts'
import { cleanContent } from './clean-content.ts'
import { type Element, findElement, type Root, textOf } from './html-tree.ts'

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
