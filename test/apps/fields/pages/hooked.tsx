import { type PageProps, refresh, useSubmission } from 'hydrant/react'
import { Fields } from '../components/fields.tsx'

export default function Page({ data }: PageProps<'/hooked'>) {
  const store = useSubmission('/fields')
  const other = useSubmission('/views')
  return (
    <>
      <form id="form" {...store.form}>
        <Fields data={data} />
        <button type="submit" id="send">
          Send
        </button>
      </form>
      <input id="comment" form="form" name="comment" defaultValue="" />
      <form {...other.form}>
        <button type="submit" id="other">
          Other
        </button>
      </form>
      <button id="refresh" type="button" onClick={() => void refresh()}>
        Refresh
      </button>
      <a id="link" href="/hooked?page=2">
        Another page
      </a>
      <p id="round">{data.round}</p>
      <p id="count">{data.count}</p>
    </>
  )
}
