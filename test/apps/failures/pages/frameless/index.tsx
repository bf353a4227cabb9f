import { type ReactNode, useState } from 'react'

export default function Page() {
  return (
    <main>
      <Invalid />
      {Object.entries(HANDLERS).map(([name, run]) => (
        <button key={name} id={name} type="button" onClick={run}>
          {name}
        </button>
      ))}
    </main>
  )
}

function Invalid() {
  const [value, setValue] = useState<ReactNode>('')
  return (
    <button id="invalid" type="button" onClick={() => setValue(JSON.parse('{ "a": 1 }'))}>
      {value}x
    </button>
  )
}

/** The handlers of buttons by their names. */
const HANDLERS: Record<string, () => unknown> = {
  any: () => void Promise.any([fail('a1'), Promise.reject('a2')]),
  two: () => {
    throw new AggregateError([new Error('x1'), new TypeError('x2', { cause: new Error('x3') })], 'two')
  },
  timeout: async () => {
    await fetch('/frameless/slow', { signal: AbortSignal.timeout(1) })
  },
  clipboard: () => void navigator.clipboard.readText(),
  thrown: () => {
    throw undefined
  },
  thrownNull: () => {
    throw null
  },
  rejected: () => void Promise.reject(),
  many: () => {
    const errors = Array.from({ length: 9 }, (_, index) => new Error(`e${index}`))
    throw new AggregateError(errors, 'many')
  },
  nested: () => {
    throw new Error('outer', { cause: new AggregateError([new AggregateError([new Error('no')])], 'in') })
  },
}

async function fail(text: string) {
  throw new Error(text)
}
