import type { PageProps } from 'hydrant/react'

export default function Fail({ actionData }: PageProps<'/failures/f5/fail'>) {
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
