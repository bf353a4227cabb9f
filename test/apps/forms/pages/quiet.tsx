import { type PageProps, useSubmission } from 'hydrant/react'

export default function Quiet({ data, actionData }: PageProps<'/quiet'>) {
  const count = useSubmission('/quiet')
  return (
    <>
      <h1>Quiet</h1>
      <p id="loads">{data}</p>
      <p id="action-data">{actionData ?? 'none'}</p>
      <p id="data">{count.data ?? 'none'}</p>
      <form method="post" id="plain">
        <input name="text" defaultValue="initial" />
        <button type="submit" id="plain-send">
          Send
        </button>
      </form>
      <form {...count.form}>
        <button type="submit" id="hook-send">
          Send
        </button>
      </form>
    </>
  )
}
