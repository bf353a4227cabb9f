import { type PageProps, refresh } from 'hydrant/react'
import { lazy, Suspense, startTransition, useState } from 'react'

const Ad = lazy(() => import('../../components/ad-banner.tsx'))
const Beside = lazy(() => import('../../components/beside.tsx'))

export default function Page({ data }: PageProps<'/blocked'>) {
  const [count, setCount] = useState(0)
  const [late, setLate] = useState(0)
  return (
    <main>
      <button id="count" type="button" onClick={() => setCount(count + 1)}>
        count {count}
      </button>
      <button id="late" type="button" onClick={() => startTransition(() => setLate(late + 1))}>
        late {late}
      </button>
      <button id="refresh" type="button" onClick={() => void refresh()}>
        loads {data.loads}
      </button>
      <div id="alone">
        <Suspense fallback="wait">
          <Ad name={`alone ${count}${late}`} />
        </Suspense>
      </div>
      <div id="after">
        <Suspense fallback="wait">
          <h2>{count}</h2>text <Ad name="after" />
        </Suspense>
      </div>
      <div id="before">
        <Suspense fallback="wait">
          <Ad name="before" />
          <em>{count}</em>
        </Suspense>
      </div>
      <div id="inside">
        <Suspense fallback="wait">
          <section>
            <i>{count}</i>
            <Ad name="inside" />
          </section>
        </Suspense>
      </div>
      <div id="outside">
        <Suspense fallback="wait">
          <Suspense fallback="wait">
            <Beside />
          </Suspense>
          <Ad name="outside" />
        </Suspense>
      </div>
      <div id="without">
        <Ad name="without" />
      </div>
      <a href="/blocked/opens">opens</a>
    </main>
  )
}
