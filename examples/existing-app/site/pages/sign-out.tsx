export default function SignOut() {
  return (
    <main>
      <title>Sign out</title>
      <h1>Sign out</h1>
      <form method="post">
        <button type="submit">Sign out</button>
      </form>
    </main>
  )
}
