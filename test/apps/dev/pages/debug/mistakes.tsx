import { useState } from 'react'

export default () => {
  const [isShown, setShown] = useState(false)
  function show() {
    setShown(true)
    console.error('odd %s', 'click')
  }
  const words = ['a', 'b'].map((word) => <li>{word}</li>)
  return (
    <main>
      <ul>{words}</ul>
      <button type="button" onClick={show}>
        show
      </button>
      {isShown && (
        <p>
          <div>inside</div>
        </p>
      )}
    </main>
  )
}
