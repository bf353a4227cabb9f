import { type PageProps, refresh, useSubmission } from 'hydrant/react'
import { type FormEvent, Suspense, startTransition, use, useOptimistic, useRef, useState } from 'react'
import { useFormStatus } from 'react-dom'

export default function List({ data, actionData }: PageProps<'/list'>) {
  const [isOpen, setIsOpen] = useState(true)
  const [refreshed, setRefreshed] = useState('no')

  async function refreshAndTell() {
    try {
      await refresh()
      setRefreshed(`yes ${document.querySelector('#loads')?.textContent}`)
    } catch (error) {
      setRefreshed(`rejected ${(error as Error).message}`)
    }
  }

  return (
    <>
      <h1>List</h1>
      <p id="loads">{data.loads}</p>
      <form id="own" method="post">
        <input name="text" defaultValue="initial" />
        <button type="submit" id="own-send">
          Send
        </button>
      </form>
      <p id="own-data">{actionData?.text ?? 'none'}</p>
      <ul>
        <Row id="a" />
        <Row id="b" />
        {isOpen && <Row id="c" />}
        <Row id="refused" end="refusal" />
        <Row id="failing" end="failure" />
        <Row id="moved" end="redirect" />
        <Row id="quiet" />
      </ul>
      <button id="close" type="button" onClick={() => setIsOpen(false)}>
        Close
      </button>
      <button id="refresh" type="button" onClick={refreshAndTell}>
        Refresh
      </button>
      <button
        id="refresh-transition"
        type="button"
        onClick={() =>
          startTransition(async () => {
            await refresh()
            startTransition(() => setRefreshed('transition'))
          })
        }
      >
        Refresh
      </button>
      <p id="refreshed">{refreshed}</p>
      <Chat texts={data.texts} />
      <Suspense fallback={<p id="reviews">…</p>}>
        <Reviews reviews={data.reviews} />
      </Suspense>
    </>
  )
}

function Row({ id, end = 'data' }: { id: string; end?: string }) {
  const like = useSubmission('/items/[id]', { id })
  return (
    <li id={`row-${id}`}>
      <form {...like.form}>
        <input name="text" defaultValue="initial" />
        <input type="hidden" name="end" value={end} />
        <button type="submit" className="send">
          Like
        </button>
        <Status />
      </form>
      <span className="data">{like.data?.text ?? 'none'}</span>
      <span className="pending">{String(like.isPending)}</span>
      <span className="sent">{String(like.formData?.get('text') ?? 'none')}</span>
      <span className="error">{like.error ? JSON.stringify(like.error) : 'none'}</span>
      <button className="reset" type="button" onClick={like.reset}>
        Reset
      </button>
      <button className="abort" type="button" onClick={like.abort}>
        Abort
      </button>
    </li>
  )
}

function Status() {
  return <span className="status">{String(useFormStatus().pending)}</span>
}

function Chat({ texts }: { texts: string[] }) {
  const send = useSubmission('/items/[id]', { id: 'chat' })
  const [shown, add] = useOptimistic(texts, (all, text: string) => [...all, `${text}…`])
  const input = useRef<HTMLInputElement>(null)

  function onSubmit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const text = input.current?.value ?? ''
    startTransition(async () => {
      add(text)
      await send.submit({ text })
    })
  }

  return (
    <form {...send.form} id="chat" onSubmit={onSubmit}>
      <input name="text" ref={input} />
      <button type="submit" id="chat-send">
        Say
      </button>
      <p id="texts">{shown.join(' ')}</p>
    </form>
  )
}

function Reviews({ reviews }: { reviews: Promise<string> }) {
  return <p id="reviews">{use(reviews)}</p>
}
