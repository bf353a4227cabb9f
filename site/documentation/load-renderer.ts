import type { HLJSApi } from 'highlight.js'
import type { RendererObject, Token, Tokens } from 'marked'
import { escapeText } from './escape-text.ts'
import { renderCode } from './render-code.ts'
import type { Heading, Section, SiteDocument } from './site-document.ts'
import { splitSections } from './split-sections.ts'

type Rendered = Omit<SiteDocument, 'path' | 'file' | 'about' | 'group'>

/** An overview with more headings than this leaves out those of the third level. */
const MOST_HEADINGS = 12

/** Loads the packages that only a build needs. */
export async function loadRenderer() {
  const [{ Marked }, { default: highlighter }] = await Promise.all([import('marked'), import('highlight.js')])

  /** Renders a document. `toLink` turns the target of a link into that of the page. */
  function renderMarkdown(text: string, toLink: (link: string) => string): Rendered {
    const marked = new Marked()
    const tokens = marked.lexer(text)
    const sections = splitSections(tokens)
    marked.use({ renderer: createRenderer(highlighter, sections, toLink) })
    const [, heading = '', html = ''] = /^<h1>(.*)<\/h1>\n([\s\S]*)$/.exec(marked.parser(tokens)) ?? []
    return {
      title: sections[0]?.text ?? '',
      description: firstSentence(sections.find(({ body }) => body !== '')?.body ?? ''),
      heading,
      html,
      headings: selectHeadings(sections),
      sections,
    }
  }

  /** Renders a file that is not Markdown as one block of code. */
  function renderFile(name: string, text: string): string {
    return renderCode(highlighter, text, { language: name.split('.').at(-1) ?? '', name })
  }

  return { renderMarkdown, renderFile }
}

function createRenderer(
  highlighter: HLJSApi,
  sections: readonly Section[],
  toLink: (link: string) => string,
): RendererObject {
  let index = -1
  return {
    heading({ depth, tokens }) {
      index++
      const inner = this.parser.parseInline(tokens)
      if (depth === 1) return `<h1>${inner}</h1>\n`
      const id = sections[index]?.id ?? ''
      // A link cannot be inside another one.
      const linked = inner.includes('<a ') ? inner : `<a href="#${id}">${inner}</a>`
      return `<h${depth} id="${id}">${linked}</h${depth}>\n`
    },
    code({ text, lang = '' }) {
      const [language = '', name = ''] = lang.split(' ')
      return renderCode(highlighter, text, { language, name: name === 'fragment' ? '' : name })
    },
    table(token) {
      return renderTable(token, sections[index]?.text ?? '', (tokens) => this.parser.parseInline(tokens))
    },
    link({ href, tokens }) {
      return `<a href="${escapeText(toLink(href))}">${this.parser.parseInline(tokens)}</a>`
    },
    // The only HTML in the documents are comments and the pictures of README.md.
    html: () => '',
  }
}

/** A table scrolls inside its own box, so the page never scrolls sideways. The keyboard can scroll it. */
function renderTable({ header, rows }: Tokens.Table, heading: string, inline: (tokens: Token[]) => string): string {
  const head = header.map(({ text, tokens }) => (text === '' ? '<td></td>' : `<th scope="col">${inline(tokens)}</th>`))
  const body = rows.map((row) => `<tr>${row.map(({ tokens }) => `<td>${inline(tokens)}</td>`).join('')}</tr>\n`)
  const table = `<table><thead><tr>${head.join('')}</tr></thead>\n<tbody>${body.join('')}</tbody></table>`
  return `<div class="table" tabindex="0" role="group" aria-label="${escapeText(`Table: ${heading}`)}">${table}</div>\n`
}

function selectHeadings(sections: readonly Section[]): Heading[] {
  const most = sections.filter(({ level }) => level === 2 || level === 3)
  const shown = most.length > MOST_HEADINGS ? most.filter(({ level }) => level === 2) : most
  return shown.map(({ id, text }) => ({ id, text }))
}

/** Returns the first sentence, with those after it if it is as short as a heading. */
function firstSentence(text: string): string {
  return /^.{40,}?[.!?](?=\s|$)/.exec(text)?.[0] ?? text
}
