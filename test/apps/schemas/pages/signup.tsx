import type { PageProps } from 'hydrant/react'

export default function Signup({ actionData, invalid, fields }: PageProps<'/signup'>) {
  const first = fields['items[0].name']
  return (
    <form method="post" encType="multipart/form-data" noValidate>
      <p id="done">{JSON.stringify(actionData)}</p>
      <p id="whole" role="alert">
        {invalid?.issues['']}
      </p>
      <input id="name" {...fields.name} />
      <p id={fields.name.errorId}>{fields.name.issues}</p>
      <input id="email" defaultValue="initial@example.org" {...fields.email} />
      <p id={fields.email.errorId}>{fields.email.issues}</p>
      <input id="password" type="password" {...fields.password} />
      <input id="age" {...fields.age} />
      <p id={fields.age.errorId}>{fields.age.issues}</p>
      <select id="size" {...fields.size}>
        <option>S</option>
        <option>L</option>
      </select>
      <input id="news" type="checkbox" {...fields.topics.option('news')} />
      <input id="events" type="checkbox" defaultChecked {...fields.topics.option('events')} />
      <input id="first" {...first} />
      <p id={first?.errorId}>{first?.issues}</p>
      <input id="file" {...fields.photo} />
      <button id="send" type="submit">
        Send
      </button>
    </form>
  )
}
