import type { PageProps } from 'hydrant/react'
import { Suspense, use } from 'react'
import { Products } from '../components/products.tsx'

type Props = PageProps<'/parts'>

export default function Parts({ data, visitorData }: Props) {
  return (
    <>
      <Suspense fallback={<p>Loading</p>}>
        <Cart promise={visitorData} />
      </Suspense>
      <Products products={data.products} />
    </>
  )
}

function Cart({ promise }: { promise: Props['visitorData'] }) {
  return <p>{`In the cart: ${use(promise).count}`}</p>
}
