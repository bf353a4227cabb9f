import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../paths.ts'
import type { Files } from '../write-app.ts'

const ROWS = `import { href } from 'hydrant/react'

interface Props {
  data: readonly { id: string; name: string }[]
  detail?: '/client-side-rendered/[id]' | '/server-side-rendered/[id]'
}

export function Rows({ data, detail }: Props) {
  return (
    <table>
      <tbody>
        {data.map(({ id, name }) => (
          <tr key={id}>
            <td>{id}</td>
            <td>{name}</td>
            {detail && (
              <td>
                <a href={href(detail, { id })}>View →</a>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
`

const LOAD = `import { testData } from '../../testdata/src/ssr.ts'

export async function load() {
  return { data: await testData() }
}
`

const DETAIL_LOAD = `import type { LoadContext } from 'hydrant'

export async function load({ params }: LoadContext<'/server-side-rendered/[id]'>) {
  return { id: params.id }
}
`

const pageSource = (route: string, element: string) => `import type { PageProps } from 'hydrant/react'
${element.startsWith('<Rows') ? "import { Rows } from '../components/rows.tsx'\n" : ''}
export default function Page({ data }: PageProps<'${route}'>) {
  return ${element}
}
`

const CLIENT_ROWS = `import { Suspense, use, useState } from 'react'
import { browser } from 'react-dom'
import { Rows } from '../components/rows.tsx'

const newEntry = () => ({ id: crypto.randomUUID(), name: crypto.randomUUID() })

function Entries() {
  use(browser())
  const [data] = useState(() => Array.from({ length: 1000 }, newEntry))
  return <Rows data={data} detail="/client-side-rendered/[id]" />
}

export default () => <Suspense fallback={null}><Entries /></Suspense>
`

const CLIENT_DETAIL = `import { type PageProps } from 'hydrant/react'
import { Suspense, use } from 'react'
import { browser } from 'react-dom'

function Id({ id }: { id: string }) {
  use(browser())
  return <p id="detail-id">{id}</p>
}

export default ({ params: { id } }: PageProps<'/client-side-rendered/[id]'>) => <Suspense fallback={null}><Id id={id} /></Suspense>
`

const ALL = '<Rows data={data.data} detail="/server-side-rendered/[id]" />'

/** The routes, the data and the markup of the tracker's `app-react-router`, for a folder beside it. */
export const TRACKER_APP: Files = {
  'components/rows.tsx': ROWS,
  'pages/layout.tsx': readFileSync(join(ROOT, 'bench/cached-site/pages/layout.tsx'), 'utf8'),
  'pages/index.server.ts': LOAD,
  'pages/index.tsx': pageSource('/', ALL),
  'pages/server-side-rendered.server.ts': LOAD,
  'pages/server-side-rendered.tsx': pageSource('/server-side-rendered', ALL),
  'pages/server-side-rendered/[id].server.ts': DETAIL_LOAD,
  'pages/server-side-rendered/[id].tsx': pageSource('/server-side-rendered/[id]', '<p id="detail-id">{data.id}</p>'),
  'pages/ssr-throughput.server.ts': LOAD,
  'pages/ssr-throughput.tsx': pageSource('/ssr-throughput', '<Rows data={data.data} />'),
  'pages/client-side-rendered.tsx': CLIENT_ROWS,
  'pages/client-side-rendered/[id].tsx': CLIENT_DETAIL,
}
