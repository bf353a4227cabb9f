import { Counter } from '../../../components/counter.tsx'

export default function Fail() {
  return (
    <>
      <title>F8b · Hydrant</title>
      <h1>A promise that no code handles</h1>
      <p className="lead">The button starts work that fails a moment later, when no code waits for it.</p>
      <p>
        <button id="break" type="button" className="button" onClick={() => void breakLater()}>
          Break it later
        </button>
      </p>
      <p>The page still works:</p>
      <p>
        <Counter />
      </p>
    </>
  )
}

async function breakLater(): Promise<never> {
  await Promise.resolve()
  throw new RangeError('SECRET-MARKER f8b: a promise is rejected and nobody looks')
}
