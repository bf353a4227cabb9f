import { useEffect, useState } from 'react'
import { Basket, Cart, countAll } from '../lib/cart.ts'

/** Buttons that fail, each in a different way. */
export default function Page() {
  const [kind, setKind] = useState('')
  return (
    <main>
      <Price amount={kind === 'price' ? 17 : 0} />
      <Total amount={kind === 'total' ? 4096 : 0} />
      <Mounted isOn={kind === 'effect'} />
      {['price', 'total', 'effect'].map((name) => (
        <button key={name} id={name} type="button" onClick={() => setKind(name)}>
          {name}
        </button>
      ))}
      {Object.entries(handlers).map(([name, handle]) => (
        <button key={name} id={name} type="button" onClick={() => void handle()}>
          {name}
        </button>
      ))}
    </main>
  )
}

function Price({ amount }: { amount: number }) {
  if (amount) throw new Error(`no price of ${amount}`)
  return <i>price</i>
}

function Total({ amount }: { amount: number }) {
  if (amount) throw new Error(`no price of ${amount}`)
  return <i>total</i>
}

function Mounted({ isOn }: { isOn: boolean }) {
  useEffect(() => {
    if (isOn) throw new Error('in an effect')
  }, [isOn])
  return null
}

const handlers = {
  handler() {
    throw new Error('in a handler')
  },
  arrow: () => {
    throw new Error('in a handler')
  },
  method: () => new Cart().total(),
  constructed: () => new Basket(),
  imported: () => countAll([1, 2, 3]),
  async rejected() {
    await null
    throw new Error('rejected')
  },
  text: () => {
    throw 'only a text'
  },
}
