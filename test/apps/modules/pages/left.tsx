import { useState } from 'react'

export default function Page() {
  const [text, setText] = useState('')
  return (
    <main>
      <button id="load" type="button" onClick={() => import('outside').then(({ left }) => setText(left))}>
        {text}
      </button>
    </main>
  )
}
