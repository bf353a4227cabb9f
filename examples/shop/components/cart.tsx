import { useSubmission } from 'hydrant/react'
import {
  createContext,
  type FormEvent,
  type ReactNode,
  startTransition,
  use,
  useEffect,
  useOptimistic,
  useRef,
} from 'react'

const CartContext = createContext<{
  /** The number of things in the cart, with those that are being added. */
  count: number
  problem: string | undefined
  add(form: HTMLFormElement): void
} | null>(null)

export function useCart() {
  const cart = use(CartContext)
  if (!cart) throw new Error('useCart needs a CartProvider around it')
  return cart
}

/** Is in the root layout, so it stays while the visitor goes from page to page. */
export function CartProvider({ stored, children }: { stored: number; children: ReactNode }) {
  const { submit, error } = useSubmission('/cart')
  const [count, increase] = useOptimistic(stored, (before, more: number) => before + more)
  const last = useRef<Promise<unknown>>(Promise.resolve())

  // Effects run when React has hydrated the page. The browser test waits for this attribute.
  useEffect(() => {
    document.documentElement.dataset.hydrated = 'yes'
  }, [])

  function add(form: HTMLFormElement) {
    const fields = new FormData(form)
    fields.set('stay', 'yes')
    startTransition(async () => {
      increase(Number(fields.get('amount')))
      // The cart is in a cookie. So each change waits for the cookie of the change before it.
      last.current = last.current.then(() => submit(fields))
      await last.current
    })
  }

  return <CartContext value={{ count, problem: error?.message, add }}>{children}</CartContext>
}

export function AddToCart({ id }: { id: string }) {
  const { add } = useCart()
  const { form } = useSubmission('/cart')

  function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    add(event.currentTarget)
  }

  return (
    <form {...form} onSubmit={onSubmit}>
      <input type="hidden" name="id" value={id} />
      <input type="hidden" name="change" value="add" />
      <input type="hidden" name="amount" value="1" />
      <button type="submit" className="button">
        Add to cart
      </button>
    </form>
  )
}
