import { Counter } from '../../../components/counter.tsx'

export default function Fail() {
  return (
    <>
      <title>F8 · Hydrant</title>
      <h1>A button that does nothing</h1>
      <p className="lead">Its event handler throws. React renders nothing then, so nothing changes.</p>
      <p>
        <button id="break" type="button" className="button" onClick={breakDown}>
          Break it
        </button>
      </p>
      <p>The page still works:</p>
      <p>
        <Counter />
      </p>
    </>
  )
}

function breakDown() {
  throw new TypeError('SECRET-MARKER f8: an event handler fails')
}
