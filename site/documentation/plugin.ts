import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Plugin } from 'esbuild'
import { compareFrameworks } from './compare-frameworks.ts'
import { compileDocuments } from './compile-documents.ts'

/** The site and the repository, from a file in the site's folder `content`. */
const SITE = '../..'
const ROOT = '../../..'
const RECORD = 'bench/results/last.json'

/**
 * Compiles the list of documents to JSON with all documents as HTML, and the list of compared frameworks to JSON with the
 * ratios of the last record of the benchmark, and a list of the site's files to their texts. So the server needs neither a
 * Markdown parser nor the files. The documents are compressed, because each start of the server loads its whole bundle.
 */
export function documentation(): Plugin {
  return {
    name: 'documentation',
    setup({ onLoad }) {
      onLoad({ filter: /\.toc$/ }, async ({ path }) => {
        const { documents, files } = await compileDocuments(resolve(path, ROOT), await readFile(path, 'utf8'))
        const contents = gzipSync(JSON.stringify(documents)).toString('base64')
        return { contents, loader: 'text', watchFiles: [path, ...files] }
      })
      onLoad({ filter: /\.sources$/ }, async ({ path }) => {
        const files = (await readFile(path, 'utf8')).trim().split('\n')
        const paths = files.map((file) => resolve(path, SITE, file))
        const texts = await Promise.all(paths.map((one) => readFile(one, 'utf8')))
        const sources = files.map((file, index) => ({ file, text: texts[index] }))
        return { contents: JSON.stringify(sources), loader: 'json', watchFiles: [path, ...paths] }
      })
      onLoad({ filter: /\.ratios$/ }, async ({ path }) => {
        const record = resolve(path, ROOT, RECORD)
        const ratios = compareFrameworks(await readFile(path, 'utf8'), await readFile(record, 'utf8').catch(() => null))
        return { contents: JSON.stringify(ratios), loader: 'text', watchFiles: [path, record] }
      })
    },
  }
}
