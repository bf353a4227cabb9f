// A page whose cart belongs to the visitor. Everything else is the same for everybody.

import { createContext, Suspense, use, useContext, useId, useState } from 'react'
import { preload } from 'react-dom'

export interface ShopData {
  product: string
  cart: Promise<string>
}

const SiteName = createContext('')

export function Shop({ data }: { data: ShopData }) {
  return (
    <html lang="en">
      <head>
        <title>{data.product}</title>
      </head>
      <body>
        <SiteName value="The shop">
          <header id={useId()}>header</header>
          <Product data={data} />
          <Related />
        </SiteName>
      </body>
    </html>
  )
}

function Product({ data }: { data: ShopData }) {
  preload('/product.woff2', { as: 'font', type: 'font/woff2' })
  return (
    <main>
      <h1>{data.product}</h1>
      <Suspense fallback={<p id="fallback">Loading the cart</p>}>
        <Cart cart={data.cart} />
      </Suspense>
    </main>
  )
}

function Cart({ cart }: { cart: Promise<string> }) {
  const id = useId()
  const site = useContext(SiteName)
  const value = use(cart)
  preload(`/${value}.woff2`, { as: 'font', type: 'font/woff2' })
  const [count, setCount] = useState(1)
  return (
    <section id={id}>
      <h2>{`${site}: cart of ${value}`}</h2>
      <button type="button" onClick={() => setCount(count + 1)}>{`${value}: ${count}`}</button>
    </section>
  )
}

const rendered = { related: 0 }

/** Returns how often the part beside the way to the cart has been rendered. */
export const timesRelatedWasRendered = () => rendered.related

function Related() {
  rendered.related++
  return <footer>related</footer>
}
