import empty from 'empty-browser'
import { useState } from 'react'
import { waited } from 'waiting-esm'
import { add, count, starred } from '../parts/reexport'

export default function Page() {
  const [, setClicks] = useState(0)
  const [text, setText] = useState('')
  const loadMissing = () => import('not-installed').catch((error) => setText(error.message))
  const load = () =>
    import('data:text/javascript,export default "from a URL"').then((module) => setText(module.default))
  return (
    <main>
      <p id="values">
        {starred} {waited} {JSON.stringify(empty)}
      </p>
      <button id="add" type="button" onClick={() => setClicks(add())}>
        {count}
      </button>
      <button id="url" type="button" onClick={load}>
        {text}
      </button>
      <button id="missing" type="button" onClick={loadMissing}>
        missing
      </button>
    </main>
  )
}
