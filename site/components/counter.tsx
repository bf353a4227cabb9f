import { useState } from 'react'
import classes from './counter.module.css'

/** Counts only once the page is hydrated, which is what it is here to show. */
export function Counter() {
  const [count, setCount] = useState(0)
  return (
    <button id="counter" type="button" className={classes.counter} onClick={() => setCount(count + 1)}>
      {`Count: ${count}`}
    </button>
  )
}
