import { readdir, readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { escapeText } from './escape-text.ts'
import { listDocuments, pagePath, readTitles } from './list-documents.ts'
import { loadRenderer } from './load-renderer.ts'
import type { SiteDocument } from './site-document.ts'

/** Files that are not below `docs/`. */
const OUTSIDE = ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'LICENSE']
/** The list of documents, which is a page of its own. */
const LIST = 'docs/README.md'
/** This list, that for coding agents, which each build of the package writes, and images. */
const WITHOUT_PAGE = /^docs\/(?:README\.md|llms\.txt|images\/.+)$/
const FOLDERS = ['docs', 'examples/board', 'examples/shop', 'examples/existing-app', 'examples/docs-site']
/** What a developer who uses an example leaves in its folder. */
const WRITTEN = /^(?:node_modules|dist|\.hydrant.*)$/

/**
 * Returns the documents in the order of the list, then the other files of the folders, and a list for each folder that has
 * no README.md. `root` is the folder of the repository. Throws if a document has a link to a file that is not there.
 */
export async function compileDocuments(root: string, list: string) {
  const folderFiles = await Promise.all(FOLDERS.map((folder) => readFolder(root, folder)))
  const files = [...OUTSIDE, ...folderFiles.flat().filter((file) => !WITHOUT_PAGE.test(file))]
  const read = [LIST, ...files].map(async (file) => [file, await readFile(join(root, file), 'utf8')] as const)
  const texts = new Map(await Promise.all(read))
  const folders = new Set(files.map((file) => `${posix.dirname(file)}/`).filter((path) => path.startsWith('docs/')))
  const lists = [...folders].filter((folder) => folder !== 'docs/' && !texts.has(`${folder}README.md`))
  const known = readTitles(texts)
  const { renderMarkdown, renderFile } = await loadRenderer()

  function compile(file: string): SiteDocument {
    const path = pagePath(file)
    const text = texts.get(file) ?? ''
    const common = { path, file, about: null, group: null }
    if (file.endsWith('.md')) {
      const rendered = renderMarkdown(text, (link) => resolveLink([...files, ...lists], file, link))
      return { ...common, ...rendered, ...known.get(file) }
    }
    const name = posix.basename(file)
    const title = file.endsWith('/') ? name.charAt(0).toUpperCase() + name.slice(1) : name
    const description = `${file} in the package.`
    const html = file.endsWith('/') ? '' : renderFile(name, text)
    return { ...common, title, description, heading: escapeText(title), html, headings: [], sections: [] }
  }

  const listed = listDocuments(list, [...files, ...lists])
  const others = [...files, ...lists].filter((file) => !listed.some((one) => one.file === file))
  const documents: SiteDocument[] = []
  for (const { file, group } of [...listed, ...others.map((file) => ({ file, group: null }))]) {
    documents.push({ ...compile(file), group })
    // The development server responds meanwhile.
    await setImmediate()
  }
  return {
    documents: documents.map((document) => (document.html === '' ? writeList(document, documents) : document)),
    files: [LIST, ...files].map((file) => join(root, file)),
  }
}

/** Returns the paths of all files in a folder, and in those below it. */
async function readFolder(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true })
  const own = entries.filter(({ name }) => !WRITTEN.test(name))
  const nested = own.map((entry) => {
    const path = `${folder}/${entry.name}`
    return entry.isDirectory() ? readFolder(root, path) : [path]
  })
  return (await Promise.all(nested)).flat().sort()
}

/** Returns the document of a folder with links to the documents in the folder. */
function writeList(list: SiteDocument, documents: readonly SiteDocument[]): SiteDocument {
  const items = documents
    .filter(({ path }) => posix.dirname(path) === list.path)
    .map(({ path, title }) => `<li><a href="docs:${path}">${escapeText(title)}</a></li>`)
  return { ...list, html: `<ul>\n${items.join('\n')}\n</ul>\n` }
}

/** Returns a link between files as a link between pages. Throws if there is no such file. */
function resolveLink(files: readonly string[], from: string, link: string): string {
  if (/^[a-z]+:/.test(link)) return link
  const [path = '', anchor] = link.split('#')
  const hash = anchor === undefined ? '' : `#${anchor}`
  if (path === '') return hash
  const file = posix.join(posix.dirname(from), decodeURIComponent(path))
  if (file === LIST || (file === 'README.md' && anchor === 'documentation')) return 'docs:'
  if (files.includes(file)) return `docs:${pagePath(file)}${hash}`
  throw new Error(`${from} has a link to ${link}, which is not in the package`)
}
