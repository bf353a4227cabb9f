import { Suspense, use } from 'react'

/** The first of two equal forms comes with a part that follows later. */
export default function Parts({ data }: { data: { later: Promise<unknown> } }) {
  return (
    <>
      <h1>Parts</h1>
      <a id="away" href="/kept/login">
        Sign in
      </a>
      <Suspense fallback={<p id="waiting">waiting</p>}>
        <Later values={data.later} />
      </Suspense>
      <Form name="second" />
      <input id="search" name="search" />
    </>
  )
}

function Later({ values }: { values: Promise<unknown> }) {
  use(values)
  return <Form name="first" />
}

function Form({ name }: { name: string }) {
  return (
    <form method="post">
      <input id={name} name="text" />
      <button type="submit" id={`send-${name}`}>
        Send
      </button>
    </form>
  )
}
