import { useRouteContext } from '@fastify/react/client'

export function getMeta() {
  return { title: 'Suggest a book' }
}

export function getData({ server, req, reply }) {
  if (req.method !== 'POST') return { values: {}, errors: {} }
  const values = { title: req.body.title?.trim() ?? '', email: req.body.email?.trim() ?? '' }
  const errors: Record<string, string> = {}
  if (values.title.length < 2) errors.title = 'Enter the title.'
  if (!values.email.includes('@')) errors.email = 'Enter an e-mail address.'
  if (Object.keys(errors).length > 0) {
    reply.code(422)
    return { values, errors }
  }
  server.library.suggestions.push(values.title)
  return reply.redirect('/', 303)
}

export default function Suggest() {
  const { data } = useRouteContext()
  const { values, errors } = data
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
