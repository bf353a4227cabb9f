import { useSubmission } from 'hydrant/react'

export default function Ways() {
  const send = useSubmission('/other')
  return (
    <>
      <h1>Ways</h1>
      <form {...send.form} id="form">
        <input name="text" defaultValue="initial" />
        <button type="submit" id="send">
          Send
        </button>
        <button type="submit" id="elsewhere" formAction="/form" name="intent" value="ok">
          Elsewhere
        </button>
      </form>
      <input form="form" name="more" defaultValue="outside" />
      <button type="submit" id="outside" form="form" name="button" value="outside">
        Outside
      </button>
      <p id="data">{send.data?.text ?? 'none'}</p>
      <dialog id="dialog">
        <form {...send.form} id="in-dialog">
          <input name="text" defaultValue="in a dialog" />
          <button type="submit" id="dialog-send">
            Send
          </button>
        </form>
        <form method="dialog">
          <button type="submit" id="dialog-close">
            Close
          </button>
        </form>
      </dialog>
      <button id="show" type="button" onClick={() => document.querySelector<HTMLDialogElement>('#dialog')?.showModal()}>
        Show
      </button>
      <form
        {...send.form}
        id="handled"
        onSubmit={(event) => {
          event.currentTarget.dataset.seen = 'seen'
          send.form.onSubmit(event)
        }}
      >
        <input name="text" defaultValue="handled" />
        <button type="submit" id="handled-send">
          Send
        </button>
      </form>
    </>
  )
}
