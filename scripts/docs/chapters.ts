import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { PACKAGE_FOLDER } from '../../src/server/util/package-folder.ts'

/** A document of the package. */
export interface Chapter {
  /** The name by which `hydrant docs` finds it: `guards`, `errors-command`. */
  name: string
  title: string
  /** One line about the contents. */
  description: string
  /** The path below `docs/`, with slashes. */
  path: string
}

/** The documents that list chapters, with the folder that their links start from. */
const GUIDE = { list: 'docs/guide/README.md', folder: 'docs/guide' }
const REFERENCE = { list: 'README.md', folder: '' }
const MOVES = { list: 'docs/coming-from/README.md', folder: 'docs/coming-from' }

/** Returns the chapters of the guide, in the order in which they are read. */
export function readGuide(): Chapter[] {
  return readList(GUIDE)
}

/** Returns the chapters of the reference documentation, and the documents that list others. */
export function readReference(): Chapter[] {
  return [...readList(REFERENCE), ...readList(MOVES)]
}

/** Returns all chapters. */
export function readChapters(): Chapter[] {
  return [...readGuide(), ...readReference()]
}

/** Returns the Markdown of a chapter. */
export function readChapter({ path }: Chapter): string {
  return readDocument(`docs/${path}`)
}

/** Returns the name of the chapter in a file below `docs/`: `guide/guards.md` is `guards`, `deploy/README.md` `deploy`. */
export function nameOfPath(path: string): string {
  return posix.basename(path.replace(/\/README\.md$/, ''), '.md')
}

/** Reads list items like `- [Title](docs/name.md): description`. */
function readList({ list, folder }: { list: string; folder: string }): Chapter[] {
  const items = readDocument(list).matchAll(/^(?:-|\d+\.) \**\[(.+?)\]\(([^)#]+\.md)\)\**: (.+)$/gm)
  return [...items].map(([, title = '', link = '', description = '']) => {
    const path = posix.join(folder, link).slice('docs/'.length)
    return { name: nameOfPath(path), title: plainText(title), description: plainText(description), path }
  })
}

/** Returns a text without the marks of code and links. */
export function plainText(markdown: string): string {
  return markdown.replace(/`/g, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
}

function readDocument(path: string): string {
  return readFileSync(join(PACKAGE_FOLDER, path), 'utf8')
}
