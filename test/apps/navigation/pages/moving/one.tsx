import { ViewTransition } from 'react'

export default function Page() {
  return (
    <ViewTransition>
      <div>
        <h1>Moving</h1>
        <a href="/moving/two">two</a>
      </div>
    </ViewTransition>
  )
}
