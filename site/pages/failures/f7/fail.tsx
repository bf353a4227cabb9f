import { type ReactNode, useState } from 'react'

export default function Fail() {
  const [isBroken, setIsBroken] = useState(false)
  return (
    <>
      <title>F7 · Hydrant</title>
      <h1>This page works</h1>
      <p className="lead">When you press the button, a component throws while the browser renders it.</p>
      <p>
        <button id="break" type="button" className="button" onClick={() => setIsBroken(true)}>
          Break it
        </button>
      </p>
      {isBroken && <Broken />}
    </>
  )
}

function Broken(): ReactNode {
  throw new Error('SECRET-MARKER f7: a component fails in the browser')
}
