import { closestWord } from './closest-word.ts'
import { hrefOfDocument } from './document-href.ts'
import { listDocuments } from './documents.server.ts'
import { type Excerpt, excerptOf } from './excerpt.ts'

export interface Hit {
  href: string
  /** The title of the document. */
  title: string
  /** The heading of the section; null for the beginning of the document. */
  heading: string | null
  excerpt: Excerpt
}

export interface Found {
  hits: readonly Hit[]
  /** The words that were searched, if a word of the query is in no document and another one is similar; otherwise null. */
  corrected: string | null
  /** The words that were probably meant, if a word is in few sections and a similar one in many; otherwise null. */
  suggested: string | null
  /** Whether no section has all words, so those with some of them are shown. */
  isPartial: boolean
  /** Whether more sections have the words than are shown. */
  isMore: boolean
}

interface Entry {
  path: string
  id: string
  title: string
  heading: string | null
  body: string
  /** The texts in lower case. */
  lower: { title: string; heading: string; body: string }
  /** Below 1 for documents that few visitors look for. */
  weight: number
}

const MOST_HITS = 30
const MOST_OF_ONE_DOCUMENT = 3
const MOST_WORDS = 10
/** A word in at most so many sections may have a typing error, if a similar one occurs so many times more. */
const [RARE, MORE_FREQUENT] = [2, 20]
/** How much a word counts in the title, in the heading, and each of its first times in the text. */
const [IN_TITLE, IN_HEADING, IN_TEXT, MOST_TIMES] = [8, 12, 1, 5]

let entries: readonly Entry[] | undefined
/** How often each word occurs in the documents. */
let vocabulary: ReadonlyMap<string, number> | undefined

/** Returns the sections with all words of a query, the best first; if there is none, those with some of them. */
export function searchDocuments(query: string): Found {
  const given = splitWords(query)
  if (given.length === 0) return { hits: [], corrected: null, suggested: null, isPartial: false, isMore: false }
  const meant = given.map((word) => ({ word, ...findMeant(word) }))
  const words = unique(meant.map(({ word, isAbsent, similar }) => (isAbsent ? (similar ?? word) : word)))
  const corrected = words.join(' ') === given.join(' ') ? null : words.join(' ')
  const likely = unique(meant.map(({ word, similar }) => similar ?? word)).join(' ')
  const suggested = likely === words.join(' ') ? null : likely
  const phrase = corrected ?? query.trim().toLowerCase()
  const scored = listEntries().map((entry) => ({ entry, ...score(entry, words, phrase) }))
  const complete = scored.filter(({ found }) => found === words.length)
  const some = complete.length > 0 ? complete : scored.filter(({ found }) => found > 0)
  const sorted = some.sort((a, b) => b.found - a.found || b.points - a.points)
  const counts = new Map<string, number>()
  const hits = sorted
    .filter(({ entry: { path } }) => {
      const count = counts.get(path) ?? 0
      counts.set(path, count + 1)
      return count < MOST_OF_ONE_DOCUMENT
    })
    .slice(0, MOST_HITS)
    .map(({ entry: { path, id, title, heading, body } }) => ({
      ...{ href: hrefOfDocument(path, id), title, heading },
      excerpt: excerptOf(body, words),
    }))
  return {
    hits,
    corrected,
    suggested,
    isPartial: hits.length > 0 && complete.length === 0,
    isMore: some.length > hits.length,
  }
}

/** Returns the words of a query in lower case. A word may contain dots, slashes and such: `layout.server.ts`. */
function splitWords(query: string): string[] {
  const words = query.toLowerCase().match(/[\p{L}\p{N}_@][^\s,;:!?"'“”()]*/gu) ?? []
  return unique(words.map((word) => word.replace(/[.…]+$/, ''))).slice(0, MOST_WORDS)
}

const unique = (words: readonly string[]) => [...new Set(words)]

/** Returns the similar word that was probably meant by one that is in no section, or in a few: an example of a mistake. */
function findMeant(word: string): { isAbsent: boolean; similar: string | undefined } {
  const isIn = ({ lower: { title, heading, body } }: Entry) =>
    [title, heading, body].some((text) => text.includes(word))
  const sections = listEntries().filter(isIn).length
  if (sections > RARE) return { isAbsent: false, similar: undefined }
  const others = [...listVocabulary()].filter(([other, count]) => other !== word && count >= MORE_FREQUENT * sections)
  return { isAbsent: sections === 0, similar: closestWord(word, new Map(others)) }
}

function listVocabulary(): ReadonlyMap<string, number> {
  if (vocabulary) return vocabulary
  const counts = new Map<string, number>()
  for (const { lower } of listEntries()) {
    for (const [word] of `${lower.heading} ${lower.body}`.matchAll(/[\p{L}\p{N}_]{3,}/gu))
      counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  vocabulary = counts
  return counts
}

function score({ lower, weight }: Entry, words: readonly string[], phrase: string) {
  let [points, found] = [0, 0]
  for (const word of words) {
    const times = Math.min(lower.body.split(word).length - 1, MOST_TIMES)
    const own = IN_TITLE * strength(lower.title, word) + IN_HEADING * strength(lower.heading, word) + IN_TEXT * times
    if (own > 0) found++
    points += own
  }
  // An error code consists of words, after its prefix.
  const heading = lower.heading.replaceAll('_', ' ').replace(/^hyd /, '')
  if (lower.heading === phrase || heading === phrase) points += 3 * IN_HEADING
  else if (words.length > 1 && heading.includes(phrase)) points += 2 * IN_HEADING
  else if (words.length > 1 && lower.body.includes(phrase)) points += IN_HEADING
  return { points: points * weight, found }
}

/** Returns 1 for a whole word, less for the beginning of one and for a part of one, and 0 if the text has no such word. */
function strength(text: string, word: string): number {
  const at = text.indexOf(word)
  if (at === -1) return 0
  const isLetter = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}_]/u.test(character)
  if (isLetter(text[at - 1])) return 0.3
  return isLetter(text[at + word.length]) ? 0.7 : 1
}

function listEntries(): readonly Entry[] {
  entries ??= listDocuments().flatMap(({ path, title, sections }) =>
    sections.map(({ id, text, level, body }): Entry => {
      const heading = level === 1 ? null : text
      const lower = { title: title.toLowerCase(), heading: text.toLowerCase(), body: body.toLowerCase() }
      const weight = /^(?:decisions\/|maintaining\/|changelog)/.test(path) ? 0.4 : 1
      return { path, id: level === 1 ? '' : id, title, heading, body, lower, weight }
    }),
  )
  return entries
}
