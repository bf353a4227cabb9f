export function Suggest({ title, email, errors }) {
  return (
    <form method="post">
      <title>Suggest a book</title>
      <h1>Suggest a book</h1>
      <label>
        Title <input name="title" defaultValue={title} aria-describedby="title-error" />
      </label>
      <p id="title-error">{errors?.title}</p>
      <label>
        Your e-mail address <input name="email" defaultValue={email} aria-describedby="email-error" />
      </label>
      <p id="email-error">{errors?.email}</p>
      <button type="submit">Suggest</button>
    </form>
  )
}
