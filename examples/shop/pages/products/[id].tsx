import type { PageProps } from 'hydrant/react'
import { Suspense, use } from 'react'
import { AddToCart } from '../../components/cart.tsx'
import { Photo } from '../../components/photo.tsx'
import { Price } from '../../components/price.tsx'

type Data = PageProps<'/products/[id]'>['data']

export default function ProductPage({ data }: PageProps<'/products/[id]'>) {
  const { id, name, text, price, photo } = data.product
  return (
    <>
      <title>{`${name} · Paper & Ink`}</title>
      <div className="grid items-start gap-6 sm:grid-cols-2">
        <Photo name={name} photo={photo} />
        <div className="grid gap-4">
          <h1 className="text-3xl">{name}</h1>
          <p>{text}</p>
          <p className="text-xl">
            <Price cents={price} />
          </p>
          <AddToCart id={id} />
        </div>
      </div>
      <h2 className="text-2xl">Reviews</h2>
      <Suspense key={id} fallback={<p className="text-soft">Reviews are loading…</p>}>
        <Reviews reviews={data.reviews} />
      </Suspense>
    </>
  )
}

function Reviews({ reviews }: Pick<Data, 'reviews'>) {
  const texts = use(reviews)
  if (texts.length === 0) return <p>There is no review yet.</p>
  return (
    <ul className="grid gap-2">
      {texts.map((text) => (
        <li key={text} className="border-l-4 border-accent pl-4">
          {text}
        </li>
      ))}
    </ul>
  )
}
