import { type Chapter, nameOfPath, plainText, readChapter } from './chapters.ts'

/** A section that contains all words of a search. */
export interface Hit {
  chapter: Chapter
  heading: string
  /** The first line with one of the words, for a hit in the text; null for a hit in the heading. */
  line: string | null
}

/** Returns the chapter with this name, path or title; null if there is none. */
export function findChapter(text: string, chapters: readonly Chapter[]): Chapter | null {
  const wanted = text.toLowerCase()
  const name = nameOfPath(wanted)
  return (
    chapters.find((chapter) => chapter.name === name && chapter.path.includes(wanted.replace(/^\/?docs\//, ''))) ??
    chapters.find((chapter) => chapter.title.toLowerCase() === wanted) ??
    null
  )
}

/** Returns the Markdown below the only heading with this text, in any case; null if there is none, or several. */
export function findSection(text: string, chapters: readonly Chapter[]): string | null {
  const found = chapters.flatMap((chapter) => {
    const sections = splitSections(readChapter(chapter))
    const matches = sections.filter(({ heading }) => heading.toLowerCase() === text.toLowerCase())
    return matches.map((section) => textWithin(sections, section))
  })
  return found.length === 1 ? (found[0] ?? null) : null
}

/** Returns the sections that contain all words, in any case: those with most of the words in the heading first. */
export function searchChapters(words: readonly string[], chapters: readonly Chapter[]): Hit[] {
  const wanted = words.map((word) => word.toLowerCase())
  const hits = chapters.flatMap((chapter) =>
    splitSections(readChapter(chapter))
      .filter(({ text }) => wanted.every((word) => text.toLowerCase().includes(word)))
      .map((section) => toHit(chapter, section, wanted)),
  )
  const countIn = ({ heading }: Hit) => wanted.filter((word) => heading.toLowerCase().includes(word)).length
  return hits.sort((a, b) => countIn(b) - countIn(a))
}

function toHit(chapter: Chapter, { heading, text }: Section, words: readonly string[]): Hit {
  const hasWord = (line: string) => words.some((word) => line.toLowerCase().includes(word))
  const [, ...lines] = text.split('\n')
  return { chapter, heading, line: hasWord(heading) ? null : (lines.find(hasWord)?.trim() ?? null) }
}

/** A heading of a chapter and the text below it, without the text of the headings below. */
interface Section {
  heading: string
  /** 1 for the title. */
  level: number
  /** Markdown, with the heading. */
  text: string
}

/** Splits a document at its headings. A line of a code block is not a heading. */
export function splitSections(markdown: string): Section[] {
  const sections: Section[] = []
  let fence: string | null = null
  for (const line of markdown.split('\n')) {
    const [, mark = ''] = /^(```+|~~~+)/.exec(line) ?? []
    if (mark !== '') fence = fence === null ? mark : line.trim() === fence ? null : fence
    const [, marks = '', heading = ''] = (fence === null && /^(#+) (.+)$/.exec(line)) || []
    const current = sections.at(-1)
    if (marks !== '') sections.push({ heading: plainText(heading), level: marks.length, text: `${line}\n` })
    else if (current) current.text += `${line}\n`
  }
  return sections
}

/** Returns the Markdown of a section and of the sections below it. */
function textWithin(sections: readonly Section[], section: Section): string {
  const after = sections.slice(sections.indexOf(section) + 1)
  const next = after.findIndex(({ level }) => level <= section.level)
  const inside = next === -1 ? after : after.slice(0, next)
  return [section, ...inside].map(({ text }) => text).join('')
}
