import type { LayoutProps } from 'hydrant/react'
import { useState } from 'react'

export default function Layout({ children, data }: LayoutProps<'/users/[id]'>) {
  const [count, setCount] = useState(0)
  return (
    <section>
      <button id="user-count" type="button" onClick={() => setCount(count + 1)}>
        {`${data}: ${count}`}
      </button>
      {children}
    </section>
  )
}
