import { Counter } from '../../../components/counter.tsx'

export default function Fail() {
  return (
    <>
      <title>F9 · Hydrant</title>
      <h1>Two clocks</h1>
      <p className="lead">The server writes its time, the browser its own, so what they render differs.</p>
      <p>
        Rendered by the {typeof window === 'undefined' ? 'server' : 'browser'} at{' '}
        <span id="clock">{new Date().toISOString()}</span>
      </p>
      <p>The page works nevertheless:</p>
      <p>
        <Counter />
      </p>
    </>
  )
}
