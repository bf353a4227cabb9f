import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { PACKAGE_FOLDER } from '../src/server/util/paths.ts'

/** A document of the package. */
export interface Chapter {
  /** The name by which `hydrant docs` finds it: `guards`, `errors-command`. */
  name: string
  title: string
  /** One line about the contents. */
  description: string
  /** The path from `docs/`, with slashes. */
  path: string
}

/** The documents that list chapters, with the folder that their links start from. */
const GUIDE = { list: 'docs/guide/README.md', folder: 'docs/guide' }
const REFERENCE = { list: 'docs/README.md', folder: 'docs' }
const MOVES = { list: 'docs/coming-from/README.md', folder: 'docs/coming-from' }

/** Returns the chapters of the guide, in the order in which they are read. */
export function readGuide(): Chapter[] {
  return readList(GUIDE)
}

/** Returns the chapters of the reference documentation, and the documents that list others. */
export function readReference(): Chapter[] {
  return [...readList(REFERENCE), ...readList(MOVES)]
}

export function readChapters(): Chapter[] {
  return [...readGuide(), ...readReference()]
}

export function readChapter({ path }: Chapter): string {
  return readDocument(posix.join('docs', path))
}

/** Returns the name of the chapter in a file: `guide/guards.md` is `guards`, `deploy/README.md` `deploy`. */
export function nameOfPath(path: string): string {
  return posix.basename(path.replace(/\/README\.md$/, ''), '.md')
}

/** Reads list items like `- [Title](docs/name.md): description`. */
function readList({ list, folder }: { list: string; folder: string }): Chapter[] {
  const items = readDocument(list).matchAll(/^(?:-|\d+\.) \**\[(.+?)\]\(([^)#]+\.md)\)\**: (.+)$/gm)
  return [...items].map(([, title = '', link = '', description = '']) => {
    const path = posix.relative('docs', posix.join(folder, link))
    return { name: nameOfPath(path), title: plainText(title), description: plainText(description), path }
  })
}

/** Returns a text without the marks of code and links. */
function plainText(markdown: string): string {
  return markdown.replace(/`/g, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
}

function readDocument(path: string): string {
  return readFileSync(join(PACKAGE_FOLDER, path), 'utf8')
}

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

/** Returns `docs/llms.txt`: the list of all chapters for coding agents, in the format of llmstxt.org. */
export function formatLlms(): string {
  return `# Hydrant

> Server-rendered React 19 pages from Fastify 5. Hydrant is not Next.js, Remix or React Router, and their APIs do not exist
> here.

The links lead to files of this folder. "npx hydrant docs NAME" prints a chapter, for example "npx hydrant docs guards".
"npx hydrant docs WORDS" searches all chapters, and "npx hydrant docs CODE" explains an error code.

## Guide

${formatList(readGuide())}

## Reference

${formatList(readReference())}
`
}

function formatList(chapters: readonly Chapter[]): string {
  return chapters.map(({ title, path, description }) => `- [${title}](${path}): ${description}`).join('\n')
}
