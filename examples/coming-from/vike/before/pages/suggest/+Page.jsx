import { useData } from 'vike-react/useData'

export default function Suggest() {
  const { values, errors } = useData()
  return (
    <form method="post">
      <h1>Suggest a book</h1>
      <label>
        Title <input name="title" defaultValue={values.title} aria-describedby="title-error" />
      </label>
      <p id="title-error">{errors.title}</p>
      <label>
        Your e-mail address <input name="email" defaultValue={values.email} aria-describedby="email-error" />
      </label>
      <p id="email-error">{errors.email}</p>
      <button type="submit">Suggest</button>
    </form>
  )
}
