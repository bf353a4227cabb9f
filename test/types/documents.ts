// The samples in TypeScript of the README and of docs/types.md: the compilers accept them in a new site.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { readBlocks } from '../docs/code/code-block.ts'
import { projectOf, type TypedSites, writeTypedSite, writeTypes } from './typed-site.ts'

/** What the samples say that the reader has. */
const own = {
  'products.ts':
    'export const products: Record<string, { name: string; stock: { count: number } }> = {\n  7: { name: "Tea", stock: { count: 3 } },\n}\n',
}

const DOCUMENTS = ['README.md', 'docs/types.md']

/** Prepares a site from the samples of each document. */
export async function prepareDocuments(t: Test, folder: string): Promise<TypedSites> {
  const sites = DOCUMENTS.map((document) => ({
    document,
    dir: join(folder, document.replace('/', '-')),
    ...readSamples(document),
  }))
  for (const { dir, files, config } of sites) {
    writeTypedSite(dir, { ...own, ...Object.fromEntries(files), 'tsconfig.json': config })
    await writeTypes(t, dir)
  }
  return {
    projects: sites.map(({ dir }) => projectOf(dir)),
    test(t, checked) {
      for (const { document, files } of sites)
        t.test(`${document} has samples of a site`, async (t) => {
          t.ok(files.length > 1)
        })

      t.test('the compilers accept the samples', async (t) => {
        for (const { name, errors } of checked)
          for (const [index, document] of DOCUMENTS.entries()) t.strictSame(errors[index], [], `${document}, ${name}`)
      })
    },
  }
}

/** Returns the files of a document by path, and its tsconfig.json. */
function readSamples(document: string): { files: [string, string][]; config: string } {
  const blocks = readBlocks(readFileSync(document, 'utf8'))
  const files = blocks
    .filter(({ language }) => /^tsx?$/.test(language))
    .map(({ path, text }): [string, string] => [path, text])
  const config = blocks.find(({ language, text }) => language === 'json' && text.includes('"extends"'))?.text ?? ''
  return { files, config }
}
