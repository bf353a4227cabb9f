import type { PageProps } from 'hydrant/react'
import { Suspense, use, useId, useState } from 'react'
import type { Cart } from './index.server.ts'

export default function Shop({ data, visitorData }: PageProps<'/shop'>) {
  return (
    <main>
      <header id={useId()}>header</header>
      <h1>{`Shoes ${data.run}`}</h1>
      <Suspense fallback={<p id="fallback">Loading the cart</p>}>
        <ShownCart cart={visitorData} />
      </Suspense>
      <a href="/shop/other">other</a>
    </main>
  )
}

function ShownCart({ cart }: { cart: Promise<Cart> }) {
  const { name, late } = use(cart)
  const [count, setCount] = useState(1)
  return (
    <section id={useId()}>
      <h2>{`cart of ${name}`}</h2>
      <button type="button" onClick={() => setCount(count + 1)}>
        {`${name}: ${count}`}
      </button>
      <Suspense fallback={<i id="later">…</i>}>
        <b>{late && use(late)}</b>
      </Suspense>
    </section>
  )
}
