import { href, type PageProps } from 'hydrant/react'

export default function Page({ actionData }: PageProps<'/shop'>) {
  return (
    <>
      <h1>{actionData ?? 'Shop'}</h1>
      <a id="cart" href={href('/shop/cart')}>
        Cart
      </a>
      <a id="home" href={href('/')}>
        Home
      </a>
      <form method="post">
        <input name="text" />
        <button type="submit">Send</button>
      </form>
    </>
  )
}
