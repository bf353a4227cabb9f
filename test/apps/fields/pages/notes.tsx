import type { PageProps } from 'hydrant/react'
import { useState } from 'react'

export default function Notes({ data, actionData }: PageProps<'/notes'>) {
  const [count, setCount] = useState(0)
  return (
    <>
      <h1>{data.notes.length} notes</h1>
      <button id="counter" type="button" onClick={() => setCount(count + 1)}>
        {count}
      </button>
      <form method="post" encType={data.isMultipart ? 'multipart/form-data' : undefined}>
        <input name="text" defaultValue={actionData?.text} />
        {data.isMultipart && <input name="file" type="file" />}
        {actionData && <p id="problem">{actionData.problem}</p>}
        <button id="send" type="submit">
          Send
        </button>
      </form>
      <ul>
        {data.notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </>
  )
}
