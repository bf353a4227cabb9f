import { createHydrantError } from '../../src/server/errors/hydrant-error.ts'
import { hintAtClosest } from '../../src/server/util/closest-match.ts'
import {
  type Chapter,
  findChapter,
  findSection,
  type Hit,
  readChapter,
  readChapters,
  readGuide,
  readReference,
  searchChapters,
} from '../chapters.ts'
import type { Terminal } from '../terminal/text.ts'

const MAX_HITS = 20

/** Runs `hydrant docs`: prints the list of chapters, one chapter, one section, or the sections with these words. */
export function runDocs(words: readonly string[], { stdout }: Terminal): void {
  stdout.write(words.length === 0 ? listChapters() : answer(words))
}

function listChapters(): string {
  const [guide, reference] = [readGuide(), readReference()]
  const width = Math.max(...[...guide, ...reference].map(({ name }) => name.length))
  const format = (chapters: readonly Chapter[]) =>
    chapters.map(({ name, description }) => `  ${name.padEnd(width)}  ${description}\n`).join('')
  return `Guide:\n${format(guide)}\nReference:\n${format(reference)}\nRead one: hydrant docs ${guide[0]?.name}\n`
}

function answer(words: readonly string[]): string {
  const chapters = readChapters()
  const text = words.join(' ')
  const chapter = findChapter(text, chapters)
  if (chapter) return readChapter(chapter)
  const section = findSection(text, chapters)
  if (section !== null) return section
  const hits = searchChapters(
    words.flatMap((word) => word.split(/\s+/)).filter((word) => word !== ''),
    chapters,
  )
  if (hits.length > 0) return formatHits(hits)
  const names = chapters.map(({ name }) => name)
  throw createHydrantError('HYD_DOCS_UNKNOWN', [text, hintAtClosest(text, names)])
}

function formatHits(hits: readonly Hit[]): string {
  const shown = hits.slice(0, MAX_HITS)
  const lines = shown.map(({ chapter, heading, line }) => {
    const head = heading === chapter.title ? chapter.name : `${chapter.name}: ${heading}`
    return line === null ? head : `${head}\n    ${line}`
  })
  const more = hits.length > shown.length ? `\n${hits.length - shown.length} more sections have these words.` : ''
  return `${lines.join('\n')}\n${more}\nRead one: hydrant docs ${shown[0]?.chapter.name}\n`
}
