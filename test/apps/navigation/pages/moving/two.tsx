import { ViewTransition } from 'react'

export default function Page() {
  return (
    <ViewTransition>
      <div>
        <h1>Moved</h1>
      </div>
    </ViewTransition>
  )
}
