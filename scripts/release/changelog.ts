export interface ChangelogSection {
  /** The version, or `Unreleased`. */
  name: string
  /** The date of the release: `2026-11-23`; null if the heading has none. */
  date: string | null
  /** The Markdown below the heading. */
  text: string
}

/** Splits a changelog in the format of Keep a Changelog: `## [1.2.3] - 2026-11-23`. The newest section comes first. */
export function readChangelog(markdown: string): ChangelogSection[] {
  const [, ...parts] = markdown.split(/^## /m)
  return parts.map((part) => {
    const end = part.indexOf('\n')
    const [, name = '', date = null] = /^\[([^\]]+)\](?: - (\d{4}-\d\d-\d\d))?/.exec(part.slice(0, end)) ?? []
    return { name, date, text: part.slice(end).trim() }
  })
}

/** Returns the section with this name. Its text is empty if there is none. */
export function findSection(sections: readonly ChangelogSection[], name: string): ChangelogSection {
  return sections.find((section) => section.name === name) ?? { name, date: null, text: '' }
}
