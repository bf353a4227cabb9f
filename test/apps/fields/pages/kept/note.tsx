export default function Note() {
  return (
    <>
      <h1>Note</h1>
      <form method="post">
        <input id="text" name="text" />
        <input id="code" name="code" autoComplete="off" />
        <button type="submit" id="send">
          Send
        </button>
      </form>
      <form method="post" autoComplete="OFF">
        <input id="own" name="own" />
        <input id="mail" name="mail" autoComplete="email" />
        <button type="submit" id="other">
          Send
        </button>
      </form>
    </>
  )
}
