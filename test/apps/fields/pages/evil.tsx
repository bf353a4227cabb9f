import type { PageProps } from 'hydrant/react'

/** A form of this site for another one. */
export default function Evil({ data }: PageProps<'/evil'>) {
  return (
    <form method="post" action={data}>
      <input name="text" defaultValue="evil" />
      <button id="send" type="submit">
        Send
      </button>
    </form>
  )
}
