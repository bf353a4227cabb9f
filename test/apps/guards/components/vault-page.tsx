export function VaultPage({ title }: { title: string }) {
  return (
    <>
      <h1>{title}</h1>
      <a id="first" href="/vault/first">
        first
      </a>
      <a id="second" href="/vault/second">
        second
      </a>
      <a id="closed" href="/other?closed">
        closed
      </a>
      <form id="note" method="post" action="/vault/first">
        <input name="text" defaultValue="initial" />
        <button type="submit" id="send">
          Send
        </button>
      </form>
    </>
  )
}
