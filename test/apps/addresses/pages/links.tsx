import { href } from 'hydrant/react'
import { lazy, Suspense, useState } from 'react'

const Later = lazy(() => import('../components/later.tsx'))
const top = href('/about')

export default function Page() {
  const [clicked, setClicked] = useState('')
  return (
    <>
      <a id="top" href={top}>
        top
      </a>
      <a id="inside" href={href('/p/[id]', { id: '7' }, { search: { a: 1 } })}>
        inside
      </a>
      <button type="button" onClick={() => setClicked(href('/docs/[...path]', { path: 'x/y' }))}>
        click
      </button>
      <output>{clicked}</output>
      <Suspense>
        <Later />
      </Suspense>
    </>
  )
}
