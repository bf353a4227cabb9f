// The samples in TypeScript of the README and of docs/types.md: the compilers accept them in a new site.

import { readFileSync } from 'node:fs'
import t from 'tap'
import { createTypedSite, findTypeErrors, installCompilers, writeTypes } from '../types/typed-site.ts'
import { readBlocks } from './code/code-block.ts'

const compilers = await installCompilers()

/** What the samples say that the reader has. */
const own = {
  'products.ts':
    'export const products: Record<string, { name: string; stock: { count: number } }> = {\n  7: { name: "Tea", stock: { count: 3 } },\n}\n',
}

for (const document of ['README.md', 'docs/types.md']) {
  t.test(`the samples of ${document}`, async (t) => {
    const blocks = readBlocks(readFileSync(document, 'utf8'))
    const files = blocks
      .filter(({ language }) => /^tsx?$/.test(language))
      .map(({ path, text }): [string, string] => [path, text])
    const config = blocks.find(({ language, text }) => language === 'json' && text.includes('"extends"'))?.text ?? ''
    const dir = createTypedSite(t, { ...own, ...Object.fromEntries(files), 'tsconfig.json': config })
    t.ok(files.length > 1)
    await writeTypes(t, dir)
    for (const compiler of compilers) t.strictSame(await findTypeErrors(compiler, dir), [], compiler.name)
  })
}
