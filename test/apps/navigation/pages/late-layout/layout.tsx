import type { LayoutProps } from 'hydrant/react'
import { Suspense, use } from 'react'

export default function Layout({ children, data }: LayoutProps<'/late-layout'>) {
  return (
    <div>
      <a href="/late-layout/two">two</a>
      <Suspense fallback={<i>wait</i>}>
        <Later promise={data.later} />
      </Suspense>
      {children}
    </div>
  )
}

function Later({ promise }: { promise: Promise<string> }) {
  return <b id="of-layout">{use(promise)}</b>
}
