import { usePageContext } from 'vike-react/usePageContext'
import './style.css'

export default function Layout({ children }) {
  const { member } = usePageContext()
  return (
    <>
      <header>
        <a href="/">Reading club</a> <a href="/suggest">Suggest a book</a> <a href="/members">Members</a>{' '}
        {member ? `Hello ${member}` : <a href="/sign-in">Sign in</a>}
      </header>
      <main>{children}</main>
    </>
  )
}
