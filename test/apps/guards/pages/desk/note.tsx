import type { PageProps } from 'hydrant/react'
import { useState } from 'react'

export default function Note({ data, fields }: PageProps<'/desk/note'>) {
  const [title, setTitle] = useState('')
  return (
    <form method="post">
      <h1>Note</h1>
      <p id="stored">{data.text}</p>
      <input type="hidden" name="version" value={data.version} />
      <input name="title" value={title} onChange={(event) => setTitle(event.target.value)} />
      <textarea {...fields.text} />
      <p id={fields.text.errorId}>{fields.text.issues}</p>
      <input type="checkbox" name="urgent" />
      <select name="size">
        <option>S</option>
        <option>L</option>
      </select>
      <input type="password" name="pin" />
      <button type="submit" id="send">
        Send
      </button>
      <p id="shown">{title}</p>
    </form>
  )
}
