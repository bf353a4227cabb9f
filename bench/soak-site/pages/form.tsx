import type { PageProps } from 'hydrant/react'

export default function Form({ actionData }: PageProps<'/form'>) {
  return (
    <>
      <h1>Form</h1>
      <form method="post" encType="multipart/form-data">
        <input name="text" />
        <input name="file" type="file" />
        <button type="submit">Send</button>
      </form>
      {actionData && <p>{`${actionData.textLength} characters, ${actionData.fileBytes} bytes`}</p>}
    </>
  )
}
