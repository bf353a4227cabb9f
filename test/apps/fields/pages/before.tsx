// biome-ignore-all lint/a11y: sites have such handlers.
import type { PageProps } from 'hydrant/react'
import { lazy, Suspense, type SyntheticEvent, useEffect, useState } from 'react'

const LateCounter = lazy(() => import('../components/late-counter.tsx'))

const START = { text: '', area: '', free: '', box: false, kind: 'a', choice: 'a', many: [] as string[] }

/** What visitors do before hydration: the page shows what its handlers have been told. */
export default function Page({ url }: PageProps<'/before'>) {
  return (
    <>
      <Before search={url.search} />
      {/* If the component around it were rendered again, React would show the fallback instead. */}
      <Suspense>
        <LateCounter />
      </Suspense>
    </>
  )
}

function Before({ search }: { search: string }) {
  const [count, setCount] = useState(0)
  const [state, setState] = useState(START)
  const [told, setTold] = useState<string[]>([])
  const [isReady, setReady] = useState(false)
  // React shows the state again in the fields before it gets their events.
  useEffect(() => setReady(true), [])
  const change = (next: Partial<typeof START>) => setState((old) => ({ ...old, ...next }))
  const tell = ({ type, currentTarget, nativeEvent }: SyntheticEvent) => {
    const text = `${type} ${currentTarget.id}${nativeEvent.isTrusted ? ' trusted' : ''}`
    setTold((old) => [...old, text])
  }
  const where = typeof document === 'undefined' ? 'server' : 'browser'
  if (search === '?throws' && where === 'browser') throw new Error('thrown by the page')
  return (
    <>
      <h1>{search === '?fail' ? where : 'Before'}</h1>
      <button id="count" type="button" onClick={() => setCount(count + 1)} onDoubleClick={tell} onKeyDown={tell}>
        {count}
      </button>
      <input id="text" value={state.text} onChange={({ target }) => change({ text: target.value })} onKeyDown={tell} />
      <textarea id="area" value={state.area} onChange={({ target }) => change({ area: target.value })} />
      {/* React does not render its value again. */}
      <input id="free" defaultValue="" onChange={({ target }) => change({ free: target.value })} />
      <label id="label" onClick={tell}>
        <input
          id="box"
          type="checkbox"
          checked={state.box}
          onChange={({ target }) => change({ box: target.checked })}
        />
        Box
      </label>
      {['a', 'b'].map((kind) => (
        <input
          key={kind}
          id={`kind-${kind}`}
          name="kind"
          type="radio"
          checked={state.kind === kind}
          onChange={() => change({ kind })}
        />
      ))}
      <select id="choice" value={state.choice} onChange={({ target }) => change({ choice: target.value })}>
        <option>a</option>
        <option>b</option>
      </select>
      <select
        id="many"
        multiple
        value={state.many}
        onChange={({ target }) => change({ many: [...target.selectedOptions].map(({ value }) => value) })}
      >
        <option>a</option>
        <option>b</option>
        <option>c</option>
      </select>
      <details id="details">
        <summary id="summary" onClick={tell}>
          Details
        </summary>
        Inside
      </details>
      <a id="fragment" href="#below" onClick={tell}>
        Below
      </a>
      <a id="away" href="/fields" onClick={tell}>
        Away
      </a>
      <form id="form" method="post" action="/before-sent" onSubmit={tell}>
        <input id="name" name="name" defaultValue="" onKeyDown={tell} />
        <button id="reset" type="reset" onClick={tell}>
          Reset
        </button>
        <button id="send" type="submit" onClick={tell}>
          Send
        </button>
      </form>
      <form id="needs" method="post" action="/before-sent">
        <input id="tag" onKeyDown={tell} />
        <input required />
        <button id="refused" type="submit" onClick={tell}>
          Send
        </button>
      </form>
      <output id="state">{JSON.stringify(state)}</output>
      <output id="told">{told.join()}</output>
      <output id="ready">{String(isReady)}</output>
    </>
  )
}
