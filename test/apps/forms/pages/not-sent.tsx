import type { PageProps } from 'hydrant/react'

/** Forms that are not sent. What sends a form has its kind as id. */
export default function NotSent({ actionData }: PageProps<'/not-sent'>) {
  return (
    <>
      <p id="data">{JSON.stringify(actionData) ?? 'none'}</p>
      <form method="post" onSubmit={(event) => event.preventDefault()}>
        <button type="submit" id="react">
          x
        </button>
      </form>
      <form method="post" className="late">
        <button type="submit" id="late">
          x
        </button>
      </form>
      <form method="post">
        <input name="a" required />
        <button type="submit" id="invalid">
          x
        </button>
      </form>
      <dialog open style={{ position: 'static' }}>
        <form method="dialog">
          <button type="submit" id="dialog" value="closed">
            x
          </button>
        </form>
      </dialog>
      <dialog open style={{ position: 'static' }}>
        <form method="post">
          <button type="submit" id="dialog-button" formMethod="dialog" value="closed">
            x
          </button>
        </form>
      </dialog>
      <form method="post">
        <button
          id="event"
          type="button"
          onClick={({ currentTarget }) =>
            currentTarget.form?.dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true }))
          }
        >
          x
        </button>
      </form>
    </>
  )
}
