// The samples in TypeScript of the README and of docs/types.md: the compilers accept them in a new site.

import { join } from 'node:path'
import type { Test } from 'tap'
import { readMarkdown } from '../docs/code/code-block.ts'
import { projectOf, type TypedSites, writeTypedSite, writeTypes } from './typed-site.ts'

/** What the samples say that the reader has. */
const own = {
  'products.ts': 'export const products = new Map([["7", { name: "Tea", stock: { count: 3 } }]])\n',
}

const DOCUMENTS = ['README.md', 'docs/types.md']
/** Its tsconfig.json is that of all samples. */
const WITH_CONFIG = 'docs/types.md'

/** Prepares a site from the samples of each document. */
export async function prepareDocuments(t: Test, folder: string): Promise<TypedSites> {
  const sites = DOCUMENTS.map((document) => ({
    document,
    dir: join(folder, document.replace('/', '-')),
    files: readSamples(document),
  }))
  const config = readConfig()
  for (const { dir, files } of sites) {
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

/** Returns the files of a document by path. */
function readSamples(document: string): [string, string][] {
  return readMarkdown(document)
    .filter(({ language }) => /^tsx?$/.test(language))
    .map(({ path, text }) => [path, text])
}

function readConfig(): string {
  const blocks = readMarkdown(WITH_CONFIG)
  return blocks.find(({ language, text }) => language === 'json' && text.includes('"extends"'))?.text ?? ''
}
