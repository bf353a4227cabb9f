import { href, type PageProps } from 'hydrant/react'
import { Price } from '../components/price.tsx'

export default function Thanks({ data }: PageProps<'/thanks'>) {
  const { number, name, total } = data.order
  return (
    <>
      <title>Thank you · Paper & Ink</title>
      <h1 className="text-3xl">Thank you, {name}</h1>
      <p>
        Your order has the number {number}. It costs <Price cents={total} />.
      </p>
      <p>
        <a href={href('/')} className="underline">
          All products
        </a>
      </p>
    </>
  )
}
