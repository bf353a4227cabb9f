import { href, type PageProps } from 'hydrant/react'
import { Photo } from '../components/photo.tsx'
import { Price } from '../components/price.tsx'

export default function Products({ data, search }: PageProps<'/'>) {
  const { products, kinds } = data
  return (
    <>
      <title>Paper & Ink</title>
      <h1 className="text-3xl">Our products</h1>
      <search>
        <form method="get" className="grid items-end gap-4 sm:grid-cols-[2fr_1fr_1fr_auto]">
          <label className="grid gap-1">
            Name <input type="search" name="q" defaultValue={search.q} className="input" />
          </label>
          <label className="grid gap-1">
            Kind
            <select name="kind" defaultValue={search.kind ?? ''} className="input">
              <option value="">all</option>
              {kinds.map((kind) => (
                <option key={kind}>{kind}</option>
              ))}
            </select>
          </label>
          <label className="grid gap-1">
            Order
            <select name="sort" defaultValue={search.sort} className="input">
              <option value="name">by name</option>
              <option value="price">by price</option>
            </select>
          </label>
          <button type="submit" className="button">
            Search
          </button>
        </form>
      </search>
      <p role="status">{products.length === 1 ? '1 product' : `${products.length} products`}</p>
      <ul className="grid gap-6 sm:grid-cols-2 lg:grid-cols-3">
        {products.map(({ id, name, price, photo }) => (
          <li key={id}>
            <a href={href('/products/[id]', { id })} className="grid gap-2 underline-offset-4 hover:underline">
              <Photo name={name} photo={photo} />
              <span className="flex flex-wrap justify-between gap-2">
                {name} <Price cents={price} />
              </span>
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}
