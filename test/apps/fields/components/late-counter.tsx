import { useState } from 'react'

export default function LateCounter() {
  const [count, setCount] = useState(0)
  const [text, setText] = useState('')
  return (
    <>
      <button id="late" type="button" onClick={() => setCount(count + 1)}>
        {count}
      </button>
      <input id="lateText" value={text} onChange={({ target }) => setText(target.value)} />
      <output id="lateState">{text}</output>
    </>
  )
}
