import { useSubmission } from 'hydrant/react'
import { useState } from 'react'

export default function Upload() {
  const upload = useSubmission('/upload')
  const [seen, setSeen] = useState<number[]>([])
  if (upload.progress !== undefined && seen.at(-1) !== upload.progress) setSeen([...seen, upload.progress])
  return (
    <>
      <h1>Upload</h1>
      <form {...upload.form} encType="multipart/form-data" id="form">
        <input name="text" defaultValue="initial" />
        <input type="file" name="file" />
        <button type="submit" id="send">
          Send
        </button>
      </form>
      <form method="post" encType="multipart/form-data" id="plain">
        <textarea name="text" />
        <input type="file" name="file" />
        <button type="submit" id="plain-send">
          Send
        </button>
      </form>
      <form method="post" id="texts">
        <textarea name="text" />
        <button type="submit" id="texts-send">
          Send
        </button>
      </form>
      <button id="abort" type="button" onClick={upload.abort}>
        Abort
      </button>
      <p id="pending">{String(upload.isPending)}</p>
      <p id="seen">{JSON.stringify(seen)}</p>
      <p id="data">{upload.data ?? 'none'}</p>
      <p id="error">{upload.error?.message ?? 'none'}</p>
    </>
  )
}
