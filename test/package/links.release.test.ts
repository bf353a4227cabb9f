// The documentation in the package: each relative link leads to a file of the package, and to an existing heading.

import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import t from 'tap'
import { findDifferences } from '../differences.ts'
import { createOutsideFolder } from '../outside-folder.ts'
import { packHydrant } from './pack.ts'

const packed = await packHydrant(createOutsideFolder(t, 'links-'))
const paths = new Set(packed.paths)
const documents = [...paths].filter((path) => path.endsWith('.md'))
const folders = new Set([...paths].flatMap(parentsOf))

t.test('the package has the guide and the reference', async (t) => {
  const expected = ['README.md', 'docs/guide/README.md', 'docs/guide/first-page.md', 'docs/http.md']
  t.strictSame(
    expected.filter((path) => !paths.has(path)),
    [],
  )
})

t.test('the links of the documents have a target', async (t) => {
  const links = documents.flatMap((path) => linksIn(readFileSync(path, 'utf8')).map((link) => ({ path, link })))
  const nameOf = ({ path, link }: (typeof links)[number]) => `${link} in ${path}`
  const differences = await findDifferences(links, nameOf, (checks, { path, link }) => {
    const [file = '', anchor] = link.split('#')
    const joined = file === '' ? path : posix.join(posix.dirname(path), decodeURIComponent(file))
    // A created site has the package in its node_modules.
    const target = joined.replace(/^templates\/\w+\/node_modules\/hydrant\//, '')
    checks.equal(paths.has(target) || folders.has(target.replace(/\/$/, '')), true, 'is in the package')
    if (anchor !== undefined && target.endsWith('.md') && paths.has(target))
      checks.equal(anchorsIn(readFileSync(target, 'utf8')).has(anchor), true, 'is a heading')
  })
  t.strictSame(differences, {})
})

function parentsOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_part, index) => parts.slice(0, index + 1).join('/'))
}

function withoutCode(markdown: string): string {
  return markdown.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, ''))
}

/** Returns each relative link once, also those of pictures. */
function linksIn(markdown: string): string[] {
  const links = [...withoutCode(markdown).matchAll(/(?:\]\(|\bsrc(?:set)?=")([^)"\s]+)[)"]/g)].map(
    ([, link = '']) => link,
  )
  return [...new Set(links)].filter((link) => !/^[a-z]+:/.test(link))
}

/** Returns the ids that GitHub and npm give to headings. */
function anchorsIn(markdown: string): Set<string> {
  const headings = markdown.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm)
  const ids = [...headings].map(([, heading = '']) =>
    heading
      .trim()
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
  return new Set(ids)
}
