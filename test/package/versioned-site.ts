// A site that uses what depends on React and Fastify: a load, a streamed part, an action, a failure, state in the
// browser, a navigation.

export const SITE_FILES: Readonly<Record<string, string>> = {
  'pages/layout.tsx': `import type { LayoutProps } from 'hydrant/react'

export default function Layout({ children }: LayoutProps) {
  return (
    <html lang="en">
      <head>
        <title>Versions</title>
      </head>
      <body>
        <nav>
          <a href="/">Home</a> <a href="/items/7">Item 7</a>
        </nav>
        {children}
      </body>
    </html>
  )
}
`,
  'pages/index.tsx': `import type { PageProps } from 'hydrant/react'
import { Suspense, use, useState } from 'react'

export default function Home({ data, actionData }: PageProps<'/'>) {
  const [count, setCount] = useState(0)
  return (
    <main>
      <h1>Hello {data.name}</h1>
      <button type="button" onClick={() => setCount(count + 1)}>
        Clicked {count}
      </button>
      <Suspense fallback={<p>Later</p>}>
        <Later text={data.later} />
      </Suspense>
      <form method="post">
        <input name="text" aria-label="Text" />
        <output>{actionData?.saved ?? 'nothing'}</output>
      </form>
    </main>
  )
}

function Later({ text }: { text: Promise<string> }) {
  return <p id="later">{use(text)}</p>
}
`,
  'pages/index.server.ts': `import type { ActionContext, LoadContext } from 'hydrant'

export function load({ url }: LoadContext<'/'>) {
  const name = url.searchParams.get('name') ?? 'world'
  return { name, later: new Promise<string>((resolve) => setImmediate(resolve, 'streamed')) }
}

export function action({ form }: ActionContext<'/'>) {
  return { saved: String(form.get('text')) }
}
`,
  'pages/items/[id].tsx': `import type { PageProps } from 'hydrant/react'

export default function Item({ data }: PageProps<'/items/[id]'>) {
  return <h1>{data.title}</h1>
}
`,
  'pages/items/[id].server.ts': `import { type LoadContext, notFound } from 'hydrant'

export function load({ params }: LoadContext<'/items/[id]'>) {
  if (params.id === '0') notFound()
  if (params.id === '13') throw new Error('no price')
  return { title: \`Item \${params.id}\` }
}
`,
  'ask.mjs': `import { createRequire } from 'node:module'

// Required first, because a module that is loaded already can always be required.
const required = typeof createRequire(import.meta.url)('hydrant').createServer
const { createServer } = await import('hydrant')
const warnings = []
const stream = { write: (line) => warnings.push(JSON.parse(line).msg) }
const app = await createServer({ dir: '.', logger: { level: 'warn', stream } })
const headers = { accept: 'text/html' }
const ask = async (request) => {
  const { statusCode, body } = await app.inject({ headers, ...request })
  return { statusCode, body }
}
const answers = {
  page: await ask({ url: '/?name=you' }),
  form: await ask({
    ...{ url: '/', method: 'POST', payload: 'text=a+b' },
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
  }),
  data: await ask({ url: '/items/7', headers: { accept: 'application/json' } }),
  none: await ask({ url: '/items/0' }),
  failure: await ask({ url: '/items/13' }),
}
await app.close()
console.log(JSON.stringify({ node: process.version, required, warnings, answers }))
`,
}
