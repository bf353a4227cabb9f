import type { ReactNode } from 'react'

export default function Fail() {
  return (
    <>
      <h1>F1</h1>
      <Broken />
    </>
  )
}

function Broken(): ReactNode {
  throw new Error('SECRET-MARKER f1: a component fails while the shell renders')
}
