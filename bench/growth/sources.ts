import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { SITE_PACKAGES, writeApp, writeFiles } from '../write-app.ts'

/** The pages in one folder. */
const FOLDER_PAGES = 100
const DIGITS = 5

/** The path of a page whose shell comes first and whose rest never comes. */
export const OPEN_PATH = '/open'
export const MEMORY_PATH = '/bench/memory'

/** The response of `MEMORY_PATH`: one process. */
export interface ProcessMemory {
  pid: number
  bytes: number
}

/** Returns the path of a page. All paths are equally long, so that they do not change the size of a document. */
export function pathOf(index: number): string {
  return `/group-${pad(Math.floor(index / FOLDER_PAGES))}/page-${pad(index)}`
}

/** Writes a site with a number of pages into an empty folder. */
export function createSite(dir: string, pages: number) {
  const files: Record<string, string> = {
    'server.ts': SERVER,
    'components/items.tsx': ITEMS,
    'pages/layout.tsx': LAYOUT,
    [`pages${OPEN_PATH}.tsx`]: OPEN_PAGE,
    [`pages${OPEN_PATH}.server.ts`]: OPEN_LOAD,
  }
  for (let index = 0; index < pages; index++) {
    files[`pages${pathOf(index)}.tsx`] = componentSource(index, '../../components/items.tsx')
    files[`pages${pathOf(index)}.server.ts`] = `export function load() {\n  return ${dataOf(index)}\n}\n`
  }
  writeApp(dir, files, SITE_PACKAGES)
}

/** Writes the same pages for the app router of Next. The folder has Next and its configuration already. */
export function createNextPages(dir: string, pages: number) {
  const files: Record<string, string> = { 'app/layout.jsx': NEXT_LAYOUT, 'components/items.jsx': ITEMS }
  for (let index = 0; index < pages; index++) {
    const folder = `app${pathOf(index)}`
    files[`${folder}/view.jsx`] = `'use client'\n\n${componentSource(index, '../../../components/items.jsx')}`
    files[`${folder}/page.jsx`] = `import View from './view.jsx'

export const dynamic = 'force-dynamic'

export default async function Page() {
  return <View data={${dataOf(index)}} />
}
`
  }
  rmSync(join(dir, 'app'), { recursive: true, force: true })
  writeFiles(dir, files)
}

/** Returns a component with text, data and state, in code that is both TypeScript and JavaScript. */
function componentSource(index: number, items: string): string {
  const number = pad(index)
  const text = `Paragraph of page ${number}. `.repeat(4).trim()
  return `import { useState } from 'react'
import { Items } from '${items}'

export default function Page${number}({ data }) {
  const [count, setCount] = useState(0)
  return (
    <main>
      <title>Page ${number}</title>
      <h1>Page ${number}</h1>
      <p>${text}</p>
      <Items items={data.items} />
      <button type="button" onClick={() => setCount((n) => n + 1)}>
        {\`count ${number}: \${count}\`}
      </button>
      <p>${text}</p>
    </main>
  )
}
`
}

function dataOf(index: number): string {
  const items = Array.from({ length: 5 }, (_, item) => `'Item ${item} of page ${pad(index)}'`)
  return `{ items: [${items.join(', ')}] }`
}

function pad(number: number): string {
  return String(number).padStart(DIGITS, '0')
}

const ITEMS = `export function Items({ items }) {
  return (
    <ul>
      {items.map((item) => (
        <li key={item}>{item}</li>
      ))}
    </ul>
  )
}
`

const LAYOUT = `export default function Layout({ children }) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
      </head>
      <body>{children}</body>
    </html>
  )
}
`

const NEXT_LAYOUT = `export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>{children}</body>
    </html>
  )
}
`

const OPEN_PAGE = `import { Suspense, use } from 'react'

function Rest({ rest }) {
  return <p>{use(rest)}</p>
}

export default function Open({ data }) {
  return (
    <main>
      <h1>Open</h1>
      <Suspense fallback={<p>Loading</p>}>
        <Rest rest={data.rest} />
      </Suspense>
    </main>
  )
}
`

const OPEN_LOAD = `export function load() {
  return { rest: new Promise(() => {}) }
}
`

const SERVER = `export default async function server(app) {
  app.get('${MEMORY_PATH}', async ({ query }) => {
    if (query.collect !== undefined) {
      // The second collection frees the objects that the first one has finalized.
      globalThis.gc()
      globalThis.gc()
    }
    const { heapUsed, external } = process.memoryUsage()
    return { pid: process.pid, bytes: heapUsed + external }
  })
}
`
