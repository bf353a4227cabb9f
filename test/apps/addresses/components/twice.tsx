import { type ReactNode, useEffect, useState } from 'react'

/** Shows its children in the document, and once more where only the browser renders them. */
export function Twice({ children }: { children: ReactNode }) {
  const [isLater, setIsLater] = useState(false)
  useEffect(() => setIsLater(true), [])
  return (
    <>
      <main>{children}</main>
      {isLater && <section>{children}</section>}
    </>
  )
}
