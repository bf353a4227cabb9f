// Reads the samples of the project's site by rendering its pages.

import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { type ComponentType, createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { type CodeBlock, lineAt } from './code-block.ts'

/** The props of the component `Code`. */
interface Sample {
  title: string
  language?: string
  children: string
}

interface Bundle {
  pages: Record<string, ComponentType<object>>
  shown: Sample[]
}

/** The component `Code` as this test needs it: it keeps the samples. */
const RECORDER = 'export const shown = []\nexport const Code = (props) => { shown.push(props); return null }\n'
const RECORDER_PATH = resolve('site/components/code.tsx')
/** The pages that show samples. The first page shows its own sources, and all others are Markdown. */
const DOCUMENTS = ['site/pages/start.tsx', 'site/pages/docs/scripts.tsx']
/** Enough for every page that shows samples. */
const PROPS = { params: {}, url: new URL('http://localhost:3000/docs') }

/** Returns the samples on the pages of the project's site, in the order in which they appear. */
export async function readSiteSamples(folder: string): Promise<CodeBlock[]> {
  const { pages, shown } = await bundlePages(DOCUMENTS, join(folder, 'pages.mjs'))
  return DOCUMENTS.flatMap((document) => {
    const Page = pages[document]
    if (!Page) throw new Error(`${document} is not in the bundle.`)
    shown.length = 0
    renderToStaticMarkup(createElement(Page, PROPS))
    return shown.map((sample) => toBlock(sample, document))
  })
}

async function bundlePages(documents: readonly string[], outfile: string): Promise<Bundle> {
  const imports = documents.map((document, index) => `import page${index} from './${document}'`)
  const entries = documents.map((document, index) => `${JSON.stringify(document)}: page${index}`)
  const recorder: Plugin = {
    name: 'recorder',
    setup({ onLoad }) {
      onLoad({ filter: /code\.tsx$/ }, ({ path }) => (path === RECORDER_PATH ? { contents: RECORDER } : null))
    },
  }
  await build({
    stdin: {
      contents: `${imports.join('\n')}\nexport { shown } from './site/components/code.tsx'\nexport const pages = { ${entries.join(', ')} }\n`,
      resolveDir: '.',
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    jsx: 'automatic',
    loader: { '.css': 'empty' },
    plugins: [recorder],
    outfile,
  })
  // The types follow the entry above.
  return (await import(pathToFileURL(outfile).href)) as Bundle
}

function toBlock({ title, language = 'tsx', children }: Sample, document: string): CodeBlock {
  const path = /^(?:\S+\.\w+|Dockerfile)$/.test(title) ? title : ''
  const text = `${children.trim()}\n`
  return { document, line: findLine(document, title, text), language, path, isFragment: false, text }
}

/** Finds the text in the page, or else the element that shows it. */
function findLine(document: string, title: string, text: string): number {
  const source = readFileSync(document, 'utf8')
  const at = source.indexOf(text.trim())
  return lineAt(source, Math.max(0, at === -1 ? source.indexOf(`title="${title}"`) : at))
}
