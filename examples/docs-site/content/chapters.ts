/** Groups pages by the chapter that their frontmatter names. */
export function groupByChapter<Page extends { chapter: string }>(pages: readonly Page[]): [string, Page[]][] {
  const chapters = new Map<string, Page[]>()
  for (const page of pages) chapters.set(page.chapter, [...(chapters.get(page.chapter) ?? []), page])
  return [...chapters]
}
