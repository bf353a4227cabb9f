import { posix } from 'node:path'

interface ListedDocument {
  /** The path in the repository. The path of a folder ends with a slash. */
  file: string
  group: string | null
}

/** Documents with a list of others: items like `- [Title](docs/name.md): description`. */
const LISTS = ['docs/README.md', 'docs/guide/README.md', 'docs/coming-from/README.md']

/**
 * Reads a list of documents: a line `# Group`, and below it the paths of its documents. A path may contain `*`, which
 * stands for all documents of the folder that no other line names. Documents below a line
 * `#` without a name are in no group.
 */
export function listDocuments(list: string, files: readonly string[]): ListedDocument[] {
  const lines = list.split('\n').map((line) => line.trim())
  const named = new Set(lines)
  let group: string | null = null
  return lines.flatMap((line) => {
    if (line.startsWith('#')) group = line.slice(2) || null
    if (line === '' || line.startsWith('#')) return []
    const found = line.includes('*')
      ? files.filter((file) => posix.dirname(file) === posix.dirname(line) && file.endsWith('.md') && !named.has(file))
      : files.filter((file) => file === line)
    return found.map((file) => ({ file, group }))
  })
}

const OVERVIEW = ['README.md', { title: 'Overview', about: 'what Hydrant is, and a quick start' }] as const

/** Returns the titles in the lists of documents, and the texts next to them, by file. */
export function readTitles(texts: ReadonlyMap<string, string>): ReadonlyMap<string, { title: string; about: string }> {
  return new Map([
    OVERVIEW,
    ...LISTS.flatMap((list) => {
      const items = (texts.get(list) ?? '').matchAll(/^(?:-|\d+\.) \**\[(.+?)\]\(([^)#]+\.md)\)\**: (.+)$/gm)
      return [...items].map(([, title = '', link = '', about = '']) => {
        const file = posix.join(posix.dirname(list), link)
        return [file, { title: withoutMarks(title), about: withoutMarks(about) }] as const
      })
    }),
  ])
}

/** Returns the path of a document's page below `/docs`: `deploy` for `docs/deploy/README.md`. */
export function pagePath(file: string): string {
  if (file === 'README.md') return 'overview'
  return file
    .replace(/^docs\//, '')
    .replace(/\/README\.md$/, '')
    .replace(/\.md$/, '')
    .replace(/\/$/, '')
    .replace('CHANGELOG', 'changelog')
    .replace('SECURITY', 'security-policy')
}

function withoutMarks(markdown: string): string {
  return markdown.replace(/`/g, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
}
