import { useData } from 'vike-react/useData'

export default function SignIn() {
  const { name, problem } = useData()
  return (
    <form method="post">
      <h1>Sign in</h1>
      <label>
        Name <input name="name" autoComplete="username" defaultValue={name} />
      </label>
      <label>
        Password <input name="password" type="password" autoComplete="current-password" />
      </label>
      {problem && <p role="alert">{problem}</p>}
      <button type="submit">Sign in</button>
    </form>
  )
}
