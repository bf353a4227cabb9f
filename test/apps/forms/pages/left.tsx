import type { PageProps } from 'hydrant/react'

/** Forms that are left to the browser. What sends a form has its kind as id. */
export default function Left({ actionData }: PageProps<'/left'>) {
  return (
    <>
      <p id="data">{JSON.stringify(actionData) ?? 'none'}</p>
      <form method="post" data-hydrant-reload>
        <button type="submit" id="reload" name="a" value="1">
          x
        </button>
      </form>
      <form method="post">
        <button type="submit" id="reload-button" data-hydrant-reload name="a" value="1">
          x
        </button>
      </form>
      <form method="post" encType="text/plain">
        <button type="submit" id="text" name="a" value="1">
          x
        </button>
      </form>
      <form method="post" onSubmit={(event) => event.stopPropagation()}>
        <button type="submit" id="stopped" name="a" value="1">
          x
        </button>
      </form>
      <form method="post" acceptCharset="iso-8859-1">
        <button type="submit" id="latin" name="a" value="1">
          x
        </button>
      </form>
      <form method="post" action="/upload.csv">
        <button type="submit" id="route" name="a" value="1">
          x
        </button>
      </form>
      <form method="post">
        <input name="a" defaultValue="1" />
        <button id="script" type="button" onClick={({ currentTarget }) => currentTarget.form?.submit()}>
          x
        </button>
      </form>
    </>
  )
}
