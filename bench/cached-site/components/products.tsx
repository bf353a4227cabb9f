import type { Product } from '../products.ts'

export function Products({ products }: { products: readonly Product[] }) {
  return (
    <>
      <title>Products</title>
      <h1>Products</h1>
      <ul>
        {products.map(({ id, name, price }) => (
          <li key={id}>
            {name}, {price} €
          </li>
        ))}
      </ul>
    </>
  )
}
