import { useState } from 'react'

export default function Page() {
  const [part, setPart] = useState('')
  return (
    <main>
      <button id="render" type="button" onClick={() => setPart('render')}>
        render
      </button>
      <button id="event" type="button" onClick={onPress}>
        event
      </button>
      <button id="rejection" type="button" onClick={() => void reject()}>
        rejection
      </button>
      {part === 'render' && <Broken />}
    </main>
  )
}

function Broken(): never {
  throw new Error('browser render') // fails: browser render
}

function onPress() {
  throw new Error('browser event') // fails: browser event
}

async function reject() {
  await null
  throw new Error('browser rejection') // fails: browser rejection
}
