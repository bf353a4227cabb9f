import { Suspense, use } from 'react'
import { browser } from 'react-dom'

/** A part that only the browser renders, with its fallback. */
export function Width({ after }: { after?: Promise<unknown> }) {
  return (
    <Suspense fallback={<p id="wait">no width</p>}>
      <BareWidth after={after} />
    </Suspense>
  )
}

export function BareWidth({ after }: { after?: Promise<unknown> | undefined }) {
  if (after) use(after)
  use(browser('The width is known only here.'))
  return <b id="width">{innerWidth}</b>
}
