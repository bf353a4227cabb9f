import type { PageProps } from 'hydrant/react'

export default function Page({ fields, invalid, search, actionData }: PageProps<'/schemas'>) {
  return (
    <form method="post" noValidate>
      <p id="search">{search.page}</p>
      <input id="name" {...fields.name} />
      <p id="error">{invalid?.issues.name}</p>
      <p id="done">{actionData}</p>
      <button type="submit" id="send">
        Send
      </button>
    </form>
  )
}
