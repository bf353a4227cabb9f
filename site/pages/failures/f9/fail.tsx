import { Counter } from '../../../components/counter.tsx'

export default function Fail() {
  return (
    <>
      <title>F9 · Hydrant</title>
      <h1>Two clocks</h1>
      <p className="lead">The server and the browser each write their own time, so they render different texts.</p>
      <p>
        Rendered by the {typeof window === 'undefined' ? 'server' : 'browser'} at{' '}
        <span id="clock">{new Date().toISOString()}</span>
      </p>
      <p>The page still works:</p>
      <p>
        <Counter />
      </p>
    </>
  )
}
