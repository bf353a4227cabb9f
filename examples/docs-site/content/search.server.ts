import MiniSearch from 'minisearch'
import { pages } from './pages.server.ts'

export interface Result {
  url: string
  title: string
  /** The heading of the section; empty for the beginning of the page. */
  heading: string
  excerpt: string
}

const EXCERPT_LENGTH = 140

const entries = pages.flatMap(({ path, title, description, sections }) =>
  sections.map(({ id, heading, text }) => ({
    url: id ? `${path}#${id}` : path,
    title,
    heading,
    text: id ? text : `${description}\n${text}`,
  })),
)

const index = new MiniSearch({
  fields: ['title', 'heading', 'text'],
  searchOptions: { boost: { title: 3, heading: 2 }, combineWith: 'AND', fuzzy: 0.2, prefix: true },
})
index.addAll(entries.map((entry, id) => ({ id, ...entry })))

/** Returns the sections with all words of a query, the best ones first. */
export function searchSections(query: string): Result[] {
  return index.search(query).flatMap(({ id, terms }) => {
    const entry = entries[id]
    if (!entry) return []
    const { url, title, heading, text } = entry
    return [{ url, title, heading, excerpt: excerptOf(text, terms) }]
  })
}

/** Returns the part of a text that begins shortly before the first of the words. */
function excerptOf(text: string, words: readonly string[]): string {
  const line = text.replace(/\s+/g, ' ').trim()
  const found = words.map((word) => line.toLowerCase().indexOf(word)).filter((position) => position >= 0)
  const start = line.lastIndexOf(' ', Math.max(0, Math.min(...found, line.length) - 30)) + 1
  const begin = found.length > 0 ? start : 0
  const excerpt = line.slice(begin, begin + EXCERPT_LENGTH)
  return `${begin > 0 ? '…' : ''}${excerpt}${begin + EXCERPT_LENGTH < line.length ? '…' : ''}`
}
