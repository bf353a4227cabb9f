import { href } from 'hydrant/react'
import { useState } from 'react'

export default function Page() {
  const [count, setCount] = useState(0)
  return (
    <main>
      <h1>Home</h1>
      <button type="button" onClick={() => setCount(count + 1)}>
        {count}
      </button>
      <a id="cart" href={href('/shop/cart')}>
        Cart
      </a>{' '}
      <a id="late" href={href('/late')}>
        Late
      </a>
    </main>
  )
}
