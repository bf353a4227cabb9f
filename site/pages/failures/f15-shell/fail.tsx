import { type ReactNode, use } from 'react'
import { waitForever } from '../../../content/later.ts'

export default function Fail() {
  return (
    <>
      <h1>A page that never comes</h1>
      <Endless />
    </>
  )
}

function Endless(): ReactNode {
  return use(waitForever())
}
