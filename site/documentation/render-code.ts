import type { HLJSApi } from 'highlight.js'
import { escapeText } from './escape-text.ts'

/** The highlighter's names of languages that the documents call by other names, and those of files. */
const LANGUAGES: Readonly<Record<string, string>> = {
  sh: 'bash',
  ts: 'typescript',
  tsx: 'typescript',
  jsx: 'javascript',
  js: 'javascript',
  svg: 'xml',
  html: 'xml',
  mdx: 'markdown',
  conf: 'nginx',
  service: 'ini',
  Dockerfile: 'dockerfile',
}

/** The kinds of tokens that the stylesheet distinguishes, by the highlighter's names. */
const KINDS: Readonly<Record<string, string>> = {
  comment: 'comment',
  string: 'string',
  regexp: 'string',
  number: 'string',
  keyword: 'keyword',
  built_in: 'keyword',
  literal: 'keyword',
  section: 'keyword',
  attribute: 'keyword',
  title: 'name',
  name: 'name',
}

/** Returns a block of code as HTML, with the name of its file if it has one. */
export function renderCode(highlighter: HLJSApi, text: string, { language = '', name = '' }): string {
  const known = LANGUAGES[language] ?? language
  const isKnown = highlighter.getLanguage(known) !== undefined
  const code = isKnown ? keepKinds(highlighter.highlight(text, { language: known }).value) : escapeText(text)
  const caption = name === '' ? '' : `<figcaption>${escapeText(name)}</figcaption>`
  const label = escapeText(name || (language === '' ? 'Code' : `Code: ${language}`))
  // A block that scrolls must be reachable by keyboard.
  const block = `<pre tabindex="0" role="group" aria-label="${label}"><code>${code}</code></pre>`
  return `<figure class="code">${caption}${block}</figure>\n`
}

/** Removes the marks of all other kinds, which would be half of a page. */
function keepKinds(html: string): string {
  const open: boolean[] = []
  return html.replace(/<span class="hljs-(\w+)[^"]*">|<\/span>/g, (_, name?: string) => {
    if (name === undefined) return open.pop() ? '</span>' : ''
    const kind = KINDS[name]
    open.push(kind !== undefined)
    return kind === undefined ? '' : `<span class="${kind}">`
  })
}
