import { plainText } from './chapters.ts'

/** A heading of a chapter and the text below it, without the text of the headings below. */
export interface Section {
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
export function textWithin(sections: readonly Section[], section: Section): string {
  const after = sections.slice(sections.indexOf(section) + 1)
  const next = after.findIndex(({ level }) => level <= section.level)
  const inside = next === -1 ? after : after.slice(0, next)
  return [section, ...inside].map(({ text }) => text).join('')
}
