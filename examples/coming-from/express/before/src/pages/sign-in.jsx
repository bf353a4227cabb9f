export function SignIn({ name, problem }) {
  return (
    <form method="post">
      <title>Sign in</title>
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
