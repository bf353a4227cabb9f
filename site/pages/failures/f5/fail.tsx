import type { PageProps } from 'hydrant/react'
import type { action } from './fail.server.ts'

export default function Fail({ actionData }: PageProps<undefined, typeof action>) {
  return (
    <>
      <title>F5 · Hydrant</title>
      <h1>A form whose action fails</h1>
      <form method="post">
        <button id="fail" className="button" type="submit">
          Send it
        </button>
      </form>
      {actionData?.saved && <p>Saved.</p>}
    </>
  )
}
