// The samples in TypeScript of the README and of docs/types.md: the compilers accept them in a new site.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { checkTypes, writeTypedSite, writeTypes } from '../types/typed-site.ts'
import { readBlocks } from './code/code-block.ts'

/** What the samples say that the reader has. */
const own = {
  'products.ts':
    'export const products: Record<string, { name: string; stock: { count: number } }> = {\n  7: { name: "Tea", stock: { count: 3 } },\n}\n',
}

const DOCUMENTS = ['README.md', 'docs/types.md']
const folder = t.testdir({})
const dirOf = (document: string) => join(folder, document.replace('/', '-'))

for (const document of DOCUMENTS) {
  t.test(`${document} has samples of a site`, async (t) => {
    const blocks = readBlocks(readFileSync(document, 'utf8'))
    const files = blocks
      .filter(({ language }) => /^tsx?$/.test(language))
      .map(({ path, text }): [string, string] => [path, text])
    const config = blocks.find(({ language, text }) => language === 'json' && text.includes('"extends"'))?.text ?? ''
    writeTypedSite(dirOf(document), { ...own, ...Object.fromEntries(files), 'tsconfig.json': config })
    t.ok(files.length > 1)
    await writeTypes(t, dirOf(document))
  })
}

t.test('the compilers accept the samples', async (t) => {
  for (const { name, errors } of await checkTypes(DOCUMENTS.map(dirOf)))
    for (const [index, document] of DOCUMENTS.entries()) t.strictSame(errors[index], [], `${document}, ${name}`)
})
