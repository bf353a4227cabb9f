export default function Page() {
  return (
    <main>
      <h1>Home</h1>
      <a id="logout" href="/logout">
        Log out
      </a>
      <form method="post" action="/pay">
        <input name="amount" defaultValue="10" />
        <button type="submit" id="pay">
          Pay
        </button>
      </form>
      <form method="post" action="/note">
        <input name="text" defaultValue="typed" />
        <button type="submit" id="note">
          Note
        </button>
      </form>
      <a id="whole" href="/whole">
        whole
      </a>{' '}
      <a id="streamed" href="/streamed">
        streamed
      </a>
      <a id="other" href="/other">
        other
      </a>
    </main>
  )
}
