import { type ReactNode, Suspense } from 'react'

export default function Fail() {
  return (
    <>
      <title>F2 in the shell · Hydrant</title>
      <h1>A part of this page fails at once</h1>
      <Suspense fallback={<p>Waiting for the part…</p>}>
        <Broken />
      </Suspense>
    </>
  )
}

function Broken(): ReactNode {
  throw new Error('SECRET-MARKER f2-shell: a component inside Suspense fails before the shell is sent')
}
