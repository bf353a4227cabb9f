export const digest = { fingerprint: '7K3M9QZD', occurrence: '0F4XTB' }

export const sentence =
  'Application error: a server-side exception has occurred while loading shop.example (see the server logs for more information).'

export const serverFile = `
import { type LoadContext, notFound } from 'hydrant'

export async function load({ app, params }: LoadContext<'/products/[id]'>) {
  const product = await app.shop.product(params.id)
  if (!product) notFound()
  return { product, reviews: app.shop.reviews(params.id) }
}
`

export const pageFile = `
import type { PageProps } from 'hydrant/react'
import { Suspense } from 'react'
import { Reviews } from '../../components/reviews.tsx'

export default function Product({ data }: PageProps<'/products/[id]'>) {
  return (
    <article>
      <title>{data.product.name}</title>
      <h1>{data.product.name}</h1>
      <Suspense fallback={<p>Reviews are on their way…</p>}>
        <Reviews reviews={data.reviews} />
      </Suspense>
    </article>
  )
}
`

export const logLine = `
{
  "level": 50,
  "reqId": "3F9QK2ZD-1f",
  "digest": "${digest.fingerprint}-${digest.occurrence}",
  "side": "server",
  "phase": "load",
  "route": "/products/[id]",
  "method": "GET",
  "url": "/products/7",
  "host": "shop.example",
  "err": {
    "type": "Error",
    "message": "connect ECONNREFUSED 10.0.0.5:5432",
    "stack": "Error: connect ECONNREFUSED …\\n    at load (pages/products/[id].server.ts:4:35)"
  }
}
`
