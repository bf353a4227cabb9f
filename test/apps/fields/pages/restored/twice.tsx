import { useRestoredState } from 'hydrant/react'

function Counter({ id }: { id: string }) {
  const [count, setCount] = useRestoredState('count', 0)
  return (
    <button id={id} type="button" onClick={() => setCount(count + 1)}>
      {count}
    </button>
  )
}

export default function Twice() {
  return (
    <>
      <h1>Twice</h1>
      <Counter id="first" />
      <Counter id="second" />
      <a id="away" href="/restored/login">
        Away
      </a>
    </>
  )
}
