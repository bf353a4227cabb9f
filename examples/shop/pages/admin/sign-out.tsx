export default function SignOut() {
  return (
    <>
      <title>Sign out · Paper & Ink</title>
      <h1 className="text-3xl">Sign out</h1>
      <p>The button above ends the session.</p>
    </>
  )
}
