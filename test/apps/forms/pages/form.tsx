import type { PageProps } from 'hydrant/react'

const INTENTS = [
  'ok',
  'problem',
  'redirect',
  'moved',
  'same',
  'anchor',
  'reply-redirect',
  'reply-elsewhere',
  'reply-send',
  'throw',
  'wait',
  'cut',
]

export default function Form({ actionData }: PageProps<'/form'>) {
  return (
    <>
      <h1>Form</h1>
      <form id="note" method="post">
        <input name="text" defaultValue="initial" />
        <button type="submit" id="plain">
          Send
        </button>
        {INTENTS.map((intent) => (
          <button type="submit" key={intent} id={intent} name="intent" value={intent}>
            {intent}
          </button>
        ))}
        <button type="submit" id="elsewhere" formAction="/other">
          Elsewhere
        </button>
        <button type="submit" id="get" formMethod="get" formAction="/target">
          By GET
        </button>
        <button type="submit" id="text" name="intent" value="ok" formEncType="text/plain">
          As text
        </button>
        <button name="reset" type="button">
          Called reset
        </button>
      </form>
      <button type="submit" id="outside" form="note" name="intent" value="outside">
        Outside
      </button>
      <form id="second" method="post">
        <input name="text" defaultValue="second" />
        <button type="submit" id="send-second">
          Second
        </button>
      </form>
      <form id="files" method="post" encType="multipart/form-data">
        <textarea name="text" />
        <input type="file" name="file" multiple />
        <button type="submit" id="send-files">
          Files
        </button>
      </form>
      <form id="names" method="post">
        <textarea name="text" />
        <input type="file" name="file" />
        <button type="submit" id="send-names">
          Names
        </button>
      </form>
      <form id="api" method="post" action="/api">
        <input name="text" defaultValue="x" />
        <button type="submit" id="send-api">
          Route
        </button>
      </form>
      <form id="guarded" method="post" action="/guarded">
        <button type="submit" id="send-guarded">
          Guarded
        </button>
        <button type="submit" id="send-guarded-redirect" formAction="/guarded?redirect">
          Redirected
        </button>
      </form>
      <form id="loud" method="get" action="/target">
        <input name="q" defaultValue="1 2" />
        <button type="submit" id="send-get">
          Get
        </button>
      </form>
      <form id="posted" method="get">
        <button type="submit" id="post" formMethod="post" name="intent" value="ok">
          By POST
        </button>
      </form>
      <p id="data">{JSON.stringify(actionData) ?? 'none'}</p>
    </>
  )
}
