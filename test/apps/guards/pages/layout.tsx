import { type LayoutProps, useNavigation } from 'hydrant/react'

export default function Layout({ data, children }: LayoutProps<'/'>) {
  const { state } = useNavigation()
  return (
    <html lang="en">
      <head>
        <title>guards</title>
      </head>
      <body>
        <p id="state">{state}</p>
        <p id="count">{data}</p>
        {children}
        <form id="side" method="post" action="/desk/note">
          <input name="text" defaultValue="initial" />
          <input type="hidden" name="version" value="0" />
          <button type="submit" id="send-side">
            Send
          </button>
        </form>
      </body>
    </html>
  )
}
