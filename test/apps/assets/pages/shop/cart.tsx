import { href, type PageProps } from 'hydrant/react'

export default function Page({ data }: PageProps<'/shop/cart'>) {
  return (
    <>
      <h1>{data.cart}</h1>
      <a id="home" href={href('/')}>
        Home
      </a>
    </>
  )
}
