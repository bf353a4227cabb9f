import { type PageProps, refresh, useSubmission } from 'hydrant/react'
import { useEffect, useState } from 'react'
import { Fields } from '../components/fields.tsx'

export default function Page({ data }: PageProps<'/hooked'>) {
  const store = useSubmission('/fields')
  const other = useSubmission('/views')
  const [isMade, setMade] = useState(false)
  useEffect(() => setMade(true), [])
  return (
    <>
      <form id="form" {...store.form}>
        <Fields data={data} />
        <button type="submit" id="send">
          Send
        </button>
      </form>
      <input id="comment" form="form" name="comment" defaultValue="" />
      {['a', 'b', 'c'].map((value) => (
        <input
          key={value}
          id={`alone-${value}`}
          name="kind"
          type="radio"
          value={value}
          defaultChecked={data.kind === value}
        />
      ))}
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
      {isMade && <input id="made" type="color" defaultValue={data.color} />}
      <p id="round">{data.round}</p>
      <p id="count">{data.count}</p>
    </>
  )
}
