import { FailureBoundary, type PageProps, refresh, useSubmission } from 'hydrant/react'
import { useState } from 'react'

export default function Words({ data, actionData }: PageProps<'/words'>) {
  const [count, setCount] = useState(0)
  const [isOpen, setOpen] = useState(false)
  const { data: result, form } = useSubmission<'/words'>()
  return (
    <>
      Before {count % 2 === 0 && 'even'}
      <h1>Words {data.version}</h1>
      <button id="more" type="button" onClick={() => setCount(count + 1)}>
        Count
      </button>
      <p id="beside">
        There are {count} things {count > 1 && 'and more '}
        <b>bold</b> after
      </p>
      <p id="single">{count === 0 ? 'none' : 'some'}</p>
      <button id="toggle" type="button" onClick={() => setOpen(!isOpen)}>
        {isOpen ? <>Hide {count}</> : 'Show'} it
      </button>
      <div id="part">{isOpen ? <em>open</em> : 'closed now'} end</div>
      <form id="own" {...form}>
        <label>
          Text <input name="text" />
        </label>
        <button type="submit">Send {count}</button>
      </form>
      <p id="result">
        {result && 'sent '}
        {result?.text}
      </p>
      <form method="post">
        <input name="plain" />
        <button type="submit" id="plain">
          Send
        </button>
      </form>
      <p id="action">
        {actionData && 'got '}
        {actionData?.text}
      </p>
      <button id="refresh" type="button" onClick={() => refresh()}>
        Refresh
      </button>
      <p id="version">
        Version {data.version} of {data.version > 1 && 'many '}
        <i>versions</i>
      </p>
      <a id="next" href="/words/other">
        Next
      </a>
      <FailureBoundary>
        <section id="inner">
          {count % 2 === 0 && 'inner even'}
          <input name="inner" />
        </section>
      </FailureBoundary>
    </>
  )
}
