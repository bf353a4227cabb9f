export default function Login() {
  return (
    <>
      <h1>Sign in</h1>
      <a id="draft" href="/restored/draft">
        Draft
      </a>
      <form method="post">
        <input id="name" name="name" />
        <button type="submit" id="enter">
          Enter
        </button>
      </form>
    </>
  )
}
