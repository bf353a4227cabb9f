import { href, type LayoutProps } from 'hydrant/react'
import icon from '../assets/favicon.svg'
import { CartProvider, useCart } from '../components/cart.tsx'
import './layout.css'

export default function RootLayout({ data, children }: LayoutProps<'/'>) {
  return (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href={icon} />
      </head>
      <body className="mx-auto max-w-5xl bg-page p-4 leading-relaxed text-ink wrap-break-word">
        <CartProvider stored={data?.count ?? 0}>
          <Header />
          <main className="grid gap-6 py-6">{children}</main>
        </CartProvider>
        <footer className="border-t border-line py-4">
          <a href={href('/admin')} className="text-soft underline">
            For the staff
          </a>
        </footer>
      </body>
    </html>
  )
}

function Header() {
  const { count, problem } = useCart()
  return (
    <header className="flex flex-wrap items-center justify-between gap-2 border-b border-line pb-4">
      <a href={href('/')} className="font-serif text-2xl">
        Paper & Ink
      </a>
      <a href={href('/cart')} className="underline">
        Cart: <span data-testid="count">{count}</span>
      </a>
      <p role="status" className="sr-only">
        {count === 1 ? '1 thing is in the cart' : `${count} things are in the cart`}
      </p>
      {problem && (
        <p role="alert" className="basis-full text-problem">
          {problem}
        </p>
      )}
    </header>
  )
}
