import { href, type PageProps } from 'hydrant/react'
import { Price } from '../components/price.tsx'

export default function Cart({ data, invalid }: PageProps<'/cart'>) {
  const { lines, total } = data
  return (
    <>
      <title>Cart · Paper & Ink</title>
      <h1 className="text-3xl">Your cart</h1>
      {invalid && (
        <p role="alert" className="text-problem">
          The cart was not changed. {Object.values(invalid.issues).flat().join(' ')}
        </p>
      )}
      {lines.length === 0 && <p>Your cart is empty.</p>}
      <ul className="grid gap-4">
        {lines.map(({ product: { id, name, price }, amount }) => (
          <li key={id} className="flex flex-wrap items-center gap-4 border-b border-line pb-4">
            <a href={href('/products/[id]', { id })} className="grow underline">
              {name}
            </a>
            <form method="post" className="flex flex-wrap items-center gap-2">
              <input type="hidden" name="id" value={id} />
              <input type="hidden" name="change" value="set" />
              <input
                // The key shows the stored amount after a change.
                key={amount}
                type="number"
                name="amount"
                min="0"
                max="99"
                required
                defaultValue={amount}
                aria-label={`Amount of ${name}`}
                className="w-20 rounded-md border border-soft bg-transparent px-3 py-2"
              />
              <button type="submit" className="underline" aria-label={`Change the amount of ${name}`}>
                Change
              </button>
            </form>
            <Price cents={price * amount} />
          </li>
        ))}
      </ul>
      {lines.length > 0 && (
        <div className="flex flex-wrap items-center justify-between gap-4">
          <p className="text-xl">
            Total: <Price cents={total} />
          </p>
          <a href={href('/checkout')} className="button">
            Check out
          </a>
        </div>
      )}
    </>
  )
}
