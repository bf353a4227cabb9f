import { type SubmitBody, type SubmitOptions, useSubmission } from 'hydrant/react'
import { useState } from 'react'

const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'] as const

export default function Script() {
  const { data, error, submit, isPending } = useSubmission()
  const other = useSubmission('/other')
  const [log, setLog] = useState('')

  async function send(body: SubmitBody, options?: SubmitOptions) {
    try {
      const result = await submit(body, options)
      setLog(`resolved at ${location.pathname} ${JSON.stringify(result)}`)
    } catch {
      setLog('rejected')
    }
  }

  function sendFile() {
    const body = new FormData()
    body.append('text', 'a\nb')
    body.append('file', new File(['content'], 'name.txt'))
    void send(body)
  }

  return (
    <>
      <h1>Script</h1>
      {METHODS.map((method) => (
        <button key={method} id={method} type="button" onClick={() => send({ text: method }, { method })}>
          {method}
        </button>
      ))}
      <button id="redirected" type="button" onClick={() => send(new URLSearchParams('intent=redirect'))}>
        redirected
      </button>
      <button id="refreshed" type="button" onClick={() => send({ intent: 'same' })}>
        refreshed
      </button>
      <button id="waiting" type="button" onClick={() => send({ intent: 'wait' })}>
        waiting
      </button>
      <button id="posted" type="button" onClick={() => other.submit({ text: 'x' })}>
        other
      </button>
      <p id="other-data">{other.data?.text}</p>
      <button id="file" type="button" onClick={sendFile}>
        file
      </button>
      <p id="data">{JSON.stringify(data) ?? 'none'}</p>
      <p id="own">{String(isPending)}</p>
      <p id="log">{log}</p>
      {error && <p role="alert">{error.message}</p>}
    </>
  )
}
