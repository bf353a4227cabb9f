import type { PageProps } from 'hydrant/react'

export default function Suggest({ fields }: PageProps<'/suggest'>) {
  return (
    <form method="post">
      <title>Suggest a book</title>
      <h1>Suggest a book</h1>
      <label>
        Title <input {...fields.title} />
      </label>
      <p id={fields.title.errorId}>{fields.title.issues}</p>
      <label>
        Your e-mail address <input {...fields.email} />
      </label>
      <p id={fields.email.errorId}>{fields.email.issues}</p>
      <button type="submit">Suggest</button>
    </form>
  )
}
