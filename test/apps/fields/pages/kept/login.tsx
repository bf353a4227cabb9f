export default function Login() {
  return (
    <>
      <h1>Sign in</h1>
      <a id="back" href="/kept/note">
        Note
      </a>
    </>
  )
}
