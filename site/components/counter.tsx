import { useState } from 'react'
import classes from './counter.module.css'

/** A button that counts only when the page is hydrated. It shows visitors that hydration has happened. */
export function Counter() {
  const [count, setCount] = useState(0)
  return (
    <button id="counter" type="button" className={classes.counter} onClick={() => setCount(count + 1)}>
      {`Count: ${count}`}
    </button>
  )
}
